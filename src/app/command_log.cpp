// `liftwarden log`: asks the running daemon, or reads the journal itself when none runs.
#include "src/adapters/control/client.hpp"
#include "src/adapters/sqlite/log_query.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "src/app/cli.hpp"
#include "src/app/exit_codes.hpp"
#include "src/app/journal_view.hpp"
#include "src/app/json_read.hpp"
#include "src/app/terminal.hpp"

#include <boost/json/serialize.hpp>
#include <unistd.h>

#include <iostream>
#include <utility>

namespace liftwarden::app {
namespace {

constexpr core::Duration answer_max = std::chrono::seconds{15};

core::Result<boost::json::array> read_file(const std::string& path,
                                           const control::LogRequest& request) {
    const auto entries =
        sqlite::read_log(path, {request.elevator, request.seq, request.since, log_entries_shown});
    if (!entries) {
        return entries.error();
    }
    return to_json(*entries);
}

// What came, or what to say and the exit code.
struct Answer {
    core::Result<boost::json::array> entries;
    int code = exit_failed;
};

Answer fetch(const ports::Settings& settings, const control::LogRequest& request) {
    const auto reply = control::call(settings.control.socket, request, answer_max);
    if (!reply && reply.error().kind == core::ErrorClass::transient) {
        auto entries = read_file(settings.journal.path, request);
        const bool held = !entries && entries.error().kind == core::ErrorClass::transient;
        return {std::move(entries), held ? exit_unreachable : exit_failed};
    }
    if (!reply) {
        return {reply.error(), exit_unreachable};
    }
    if (!reply->ok || !reply->data) {
        return {core::Error{core::ErrorClass::refused, reply->text}};
    }
    return {array_at(*reply->data, "entries")};
}

void print(const boost::json::array& entries, bool as_json) {
    if (as_json) {
        for (const auto& entry : entries) {
            std::cout << boost::json::serialize(entry) << '\n';
        }
        return;
    }
    std::cout << journal_lines(entries, STDOUT_FILENO);
    if (entries.size() >= log_entries_shown) {
        std::cout << "(the newest " << log_entries_shown << "; --since or --seq narrows it)\n";
    }
}

}  // namespace

int log_command(const LogArguments& arguments) {
    const auto paths = daemon_paths_or_complain(arguments.config);
    if (!paths) {
        return exit_config;
    }
    control::LogRequest request{arguments.elevator, arguments.seq, std::nullopt};
    if (arguments.since) {
        request.since = system::SystemClock{}.wall() -
                        std::chrono::duration_cast<std::chrono::milliseconds>(*arguments.since);
    }
    const auto answer = fetch(paths->settings, request);
    if (!answer.entries) {
        complain(answer.entries.error().text);
        return answer.code;
    }
    print(*answer.entries, arguments.json);
    // The journal may well remember an elevator that the file no longer has.
    if (answer.entries->empty() && arguments.elevator && paths->sound) {
        if (const auto unknown =
                unknown_elevator(*arguments.elevator, paths->settings, arguments.config)) {
            complain(*unknown);
            return exit_failed;
        }
    }
    return exit_ok;
}

}  // namespace liftwarden::app
