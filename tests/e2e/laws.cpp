#include "tests/e2e/load.hpp"

#include <boost/json/serialize.hpp>

#include <ctime>
#include <optional>
#include <set>

namespace liftwarden::test {
namespace {

using Line = boost::json::object;
using Breaches = std::vector<std::string>;

std::string text_of(const Line& line, const char* key) {
    const auto* found = line.if_contains(key);
    return found != nullptr && found->is_string() ? std::string{found->as_string()} : "";
}

std::int64_t number_of(const Line& line, const char* key) {
    return line.at(key).to_number<std::int64_t>();
}

// "2026-05-02T14:32:01.251Z" in milliseconds.
std::int64_t wall_ms(const std::string& text) {
    std::tm parts{};
    const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    if (rest == nullptr || *rest != '.') {
        throw std::runtime_error("not a time: " + text);
    }
    return static_cast<std::int64_t>(::timegm(&parts)) * 1000 + std::stoll(rest + 1);
}

// What was reported of one seq.
struct Reported {
    const Order* order = nullptr;
    std::set<std::string> finals;
    std::set<std::int64_t> wire_seqs;
    std::optional<std::int64_t> accepted_at;  // wall, the first
    bool accepted = false;
};

using Book = std::map<std::string, Reported>;  // "EL001 seq"

Book book_of(const Evidence& evidence) {
    Book book;
    for (const Order& order : evidence.orders) {
        book[order.elevator + " " + order.seq].order = &order;
    }
    for (const Line& result : evidence.results) {
        const auto found = book.find(text_of(result, "elevator") + " " + text_of(result, "seq"));
        if (found == book.end()) {
            continue;
        }
        Reported& reported = found->second;
        const std::string status = text_of(result, "status");
        if (status == "accepted") {
            reported.accepted = true;
            const std::int64_t at = wall_ms(text_of(result, "at"));
            if (!reported.accepted_at || at < *reported.accepted_at) {
                reported.accepted_at = at;
            }
        }
        if (result.at("final").as_bool()) {
            reported.finals.insert(status);
        }
        if (!result.at("wire_seq").is_null()) {
            reported.wire_seqs.insert(number_of(result, "wire_seq"));
        }
    }
    return book;
}

// Law 10: what was accepted, or sent at all and waited for, has exactly one final outcome.
void check_finals(const Book& book, Breaches& found) {
    for (const auto& [name, reported] : book) {
        std::string all;
        for (const std::string& status : reported.finals) {
            all += " " + status;
        }
        if (reported.finals.size() != 1) {
            found.push_back("law 10: " + name + " has the final outcomes:" + all +
                            (reported.accepted ? " (accepted)" : ""));
        }
        if (reported.wire_seqs.size() > 1) {
            found.push_back("law 4: " + name + " was reported under several wire_seq");
        }
    }
}

struct Write {
    std::int64_t t = 0;
    std::int64_t wall = 0;
    std::int64_t wire_seq = 0;
};

// Laws 1, 2 and 4 by the PLC's own log: each command written once, and none before the PLC has
// taken the one before.
std::vector<Write> check_order(const Evidence& evidence,
                               const std::string& elevator,
                               Breaches& found) {
    std::vector<Write> writes;
    std::set<std::int64_t> written;
    std::set<std::int64_t> taken;
    std::vector<std::pair<std::int64_t, const Line*>> lines;
    const auto mailbox = evidence.truth.lines("mailbox_write", elevator);
    const auto commands = evidence.truth.lines("command", elevator);
    for (const Line& line : mailbox) {
        lines.emplace_back(number_of(line, "t"), &line);
    }
    for (const Line& line : commands) {
        lines.emplace_back(number_of(line, "t"), &line);
    }
    std::stable_sort(
        lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [t, line] : lines) {
        const std::int64_t wire_seq = number_of(*line, "wire_seq");
        const std::string name = elevator + " wire_seq " + std::to_string(wire_seq);
        if (text_of(*line, "what") == "command") {
            taken.insert(wire_seq);
            // A door command may find the door or the car already gone.
            const bool overtaken = text_of(*line, "decision") == "refused" &&
                                   text_of(*line, "content") == "close_door";
            if (text_of(*line, "decision") != "executed" && !overtaken) {
                found.push_back("law 7 or 4: " + name + " was not executed but " +
                                text_of(*line, "decision") + ": " + boost::json::serialize(*line));
            }
            continue;
        }
        if (!writes.empty() && !taken.contains(writes.back().wire_seq)) {
            found.push_back("law 2: " + name + " was written before the PLC took " +
                            std::to_string(writes.back().wire_seq));
        }
        if (!written.insert(wire_seq).second) {
            found.push_back("law 4: " + name + " was written again, though the PLC had it");
        }
        writes.push_back({t, wall_ms(text_of(*line, "wall")), wire_seq});
    }
    return writes;
}

// Law 3, and that reports and deeds agree: what was executed is one acked seq's, and what
// was acked was executed.
void check_deeds(const Evidence& evidence,
                 const Book& book,
                 const std::string& elevator,
                 Breaches& found) {
    std::map<std::int64_t, std::pair<std::string, const Reported*>> owners;
    for (const auto& [name, reported] : book) {
        if (reported.order->elevator != elevator) {
            continue;
        }
        for (const std::int64_t wire_seq : reported.wire_seqs) {
            const auto [at, is_new] = owners.insert({wire_seq, {name, &reported}});
            if (!is_new) {
                found.push_back("law 3: wire_seq " + std::to_string(wire_seq) + " belongs to " +
                                name + " and to " + at->second.first);
            }
        }
    }
    std::map<std::int64_t, std::string> executed;
    for (const SimCommand& command : evidence.truth.commands(elevator)) {
        if (command.decision == "executed") {
            executed[command.wire_seq] = command.content;
        }
    }
    for (const auto& [wire_seq, content] : executed) {
        const auto owner = owners.find(wire_seq);
        const std::string deed = elevator + ": " + content + " under " + std::to_string(wire_seq);
        if (owner == owners.end()) {
            found.push_back("law 3: " + deed + " was executed and is nobody's");
        } else if (!owner->second.second->finals.contains("acked")) {
            found.push_back("law 3: " + deed + " was executed, but " + owner->second.first +
                            " was not reported acked");
        } else if (owner->second.second->order->content != content) {
            found.push_back(deed + " was executed for " + owner->second.second->order->content);
        }
    }
    for (const auto& [name, reported] : book) {
        if (reported.order->elevator != elevator || !reported.finals.contains("acked") ||
            reported.order->content == "release") {
            continue;
        }
        if (reported.wire_seqs.empty() || !executed.contains(*reported.wire_seqs.begin())) {
            found.push_back("law 4: " + name + " was reported acked and not executed");
        }
    }
}

// Law 11. Where the daemon died the TTL may count from a second receipt, which only `accepted`
// tells.
void check_ttls(const Evidence& evidence,
                const Book& book,
                const std::string& elevator,
                const std::vector<Write>& writes,
                Breaches& found) {
    // A write may be this much under way, and wall times are cut to milliseconds.
    constexpr std::int64_t slack_ms = 100;
    std::map<std::int64_t, const Reported*> owners;
    for (const auto& [name, reported] : book) {
        if (reported.order->elevator == elevator && reported.wire_seqs.size() == 1) {
            owners[*reported.wire_seqs.begin()] = &reported;
        }
    }
    for (const Write& write : writes) {
        const auto owner = owners.find(write.wire_seq);
        if (owner == owners.end()) {
            continue;
        }
        const Order& order = *owner->second->order;
        std::optional<std::int64_t> age;
        if (evidence.received_at_once) {
            age = (write.t - order.first_published_ns) / 1'000'000;
        } else if (evidence.wall_is_sound && owner->second->accepted_at) {
            age = write.wall - *owner->second->accepted_at;
        }
        if (age && *age > order.ttl.count() + slack_ms) {
            found.push_back("law 11: " + order.elevator + " " + order.seq + " was written " +
                            std::to_string(*age - order.ttl.count()) + " ms after its TTL");
        }
    }
}

// Law 8: before each write the PLC was read, not longer ago than an observation counts.
void check_fresh(const Evidence& evidence,
                 const std::string& elevator,
                 const std::vector<Write>& writes,
                 Breaches& found) {
    std::vector<std::int64_t> reads;
    for (const Line& line : evidence.truth.lines("frame", elevator)) {
        const std::int64_t function = number_of(line, "fn");
        if (text_of(line, "dir") == "out" && function != 16 && function != 6) {
            reads.push_back(number_of(line, "t"));
        }
    }
    const std::int64_t fresh_ns = std::chrono::nanoseconds{evidence.fresh}.count();
    for (const Write& write : writes) {
        const auto after = std::upper_bound(reads.begin(), reads.end(), write.t);
        if (after == reads.begin() || write.t - *(after - 1) > fresh_ns) {
            found.push_back("law 8: " + elevator + " wire_seq " + std::to_string(write.wire_seq) +
                            " was written without a fresh read");
        }
    }
}

}  // namespace

std::vector<std::string> breaches(const Evidence& evidence) {
    Breaches found;
    const Book book = book_of(evidence);
    check_finals(book, found);
    std::set<std::string> elevators;
    for (const Order& order : evidence.orders) {
        elevators.insert(order.elevator);
    }
    for (const std::string& elevator : elevators) {
        const auto writes = check_order(evidence, elevator, found);
        check_deeds(evidence, book, elevator, found);
        check_ttls(evidence, book, elevator, writes, found);
        check_fresh(evidence, elevator, writes, found);
    }
    for (const Line& line : evidence.truth.lines("reversal")) {
        found.push_back("law 7: a door was turned round: " + boost::json::serialize(line));
    }
    return found;
}

}  // namespace liftwarden::test
