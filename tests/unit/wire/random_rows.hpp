// Rows of the journal filled from a seed, for round-trip tests. Every struct is taken apart by
// structured bindings, so a field that is added to one does not compile here until it is filled -
// and then does not survive the round trip until wire/journal_fields.hpp names it.
#pragma once

#include "src/wire/words.hpp"

#include <liftwarden/core/journal.hpp>

#include <limits>
#include <random>
#include <string>

namespace liftwarden::wire::test {

class RandomRows {
  public:
    explicit RandomRows(std::uint32_t seed) : random_(seed) {}

    template <class Row>
    Row make() {
        Row row;
        fill(row);
        return row;
    }

  private:
    std::uint64_t up_to(std::uint64_t most) {
        return std::uniform_int_distribution<std::uint64_t>(0, most)(random_);
    }

    template <class... Ts>
    void all(Ts&... values) {
        (fill(values), ...);
    }

    // Plain words, hostile text and arbitrary bytes.
    void fill(std::string& text) {
        static const char* const samples[] = {
            "", "T-77", "é€😀", "a\"b\\c/\n\t", "\xff\xfe", "null", "{\"hex\":\"00\"}", "\x7f"};
        if (up_to(2) != 0) {
            text = samples[up_to(std::size(samples) - 1)];
            return;
        }
        text.clear();
        for (std::uint64_t left = up_to(20); left > 0; --left) {
            text += static_cast<char>(up_to(255));
        }
    }
    void fill(bool& value) { value = up_to(1) == 1; }
    template <class Int>
    requires std::is_integral_v<Int>
    void fill(Int& value) {
        switch (up_to(3)) {
            case 0:
                value = std::numeric_limits<Int>::min();
                return;
            case 1:
                value = std::numeric_limits<Int>::max();
                return;
            default:
                value = static_cast<Int>(up_to(std::numeric_limits<std::uint64_t>::max()));
        }
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void fill(Enum& value) { value = enumerators<Enum>[up_to(enumerators<Enum>.size() - 1)]; }
    void fill(core::Status& value) {
        value = static_cast<core::Status>(up_to(static_cast<unsigned>(core::Status::not_served)));
    }
    void fill(core::Reason& value) {
        value = static_cast<core::Reason>(up_to(static_cast<unsigned>(core::Reason::shutdown)));
    }
    void fill(core::LockOut& value) {
        value =
            static_cast<core::LockOut>(up_to(static_cast<unsigned>(core::LockOut::second_gateway)));
    }
    template <class Tag>
    void fill(core::Name<Tag>& name) {
        std::string text;
        fill(text);
        name = core::Name<Tag>(text);
    }
    template <class Tag, class Rep>
    void fill(core::Number<Tag, Rep>& number) {
        Rep value{};
        fill(value);
        number = core::Number<Tag, Rep>(value);
    }
    void fill(core::Duration& value) {
        std::int64_t count{};
        fill(count);
        value = core::Duration{count};
    }
    void fill(core::TimePoint& value) {
        core::Duration since{};
        fill(since);
        value = core::TimePoint{since};
    }
    template <class T>
    void fill(std::optional<T>& value) {
        value.reset();
        if (up_to(1) == 1) {
            fill(value.emplace());
        }
    }
    template <class T>
    void fill(std::vector<T>& values) {
        values.resize(up_to(3));
        for (T& value : values) {
            fill(value);
        }
    }

    void fill(core::Content& content) {
        auto& [a, b, c, d, e, f] = content;
        all(a, b, c, d, e, f);
    }
    void fill(core::LockClaim& claim) {
        auto& [a, b] = claim;
        all(a, b);
    }
    void fill(core::ReplyTo& reply) {
        auto& [a, b] = reply;
        all(a, b);
    }
    void fill(core::Party& party) {
        auto& [a, b, c] = party;
        all(a, b, c);
    }
    void fill(core::CommandRef& ref) {
        auto& [a, b] = ref;
        all(a, b);
    }
    void fill(core::Elapsed& elapsed) {
        auto& [a, b, c] = elapsed;
        all(a, b, c);
    }
    void fill(core::Command& command) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = command;
        all(a, b, c, d, e, f, g, h, i, j, k, l);
    }
    void fill(core::CommandRow& row) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = row;
        all(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
    }
    void fill(core::Owner& owner) {
        auto& [a, b, c, d] = owner;
        all(a, b, c, d);
    }
    void fill(core::Watch& watch) {
        auto& [a, b, c, d, e] = watch;
        all(a, b, c, d, e);
    }
    void fill(core::Trip& trip) {
        auto& [a, b] = trip;
        all(a, b);
    }
    void fill(core::LastAcked& last) {
        auto& [a, b, c, d] = last;
        all(a, b, c, d);
    }
    void fill(core::ElevatorRow& row) {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = row;
        all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
    }
    void fill(core::Fence& fence) {
        auto& [a, b, c, d, e, f, g] = fence;
        all(a, b, c, d, e, f, g);
    }
    void fill(core::Alarm& alarm) {
        auto& [a, b, c, d, e, f] = alarm;
        all(a, b, c, d, e, f);
    }

    std::mt19937 random_;
};

}  // namespace liftwarden::wire::test
