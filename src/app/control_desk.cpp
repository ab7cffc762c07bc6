#include "src/app/control_desk.hpp"

#include "src/app/journal_view.hpp"
#include "src/app/log.hpp"

#include <utility>

namespace liftwarden::app {

void ControlDesk::handle(const control::Request& request,
                         const control::Peer& peer,
                         control::Respond respond) {
    if (std::holds_alternative<control::StatusRequest>(request)) {
        respond({true, "", control::to_json(report_())});
    } else if (const auto* question = std::get_if<control::LogRequest>(&request)) {
        show_log(*question, std::move(respond));
    } else {
        reset(std::get<control::ResetRequest>(request), peer, std::move(respond));
    }
}

void ControlDesk::show_log(const control::LogRequest& request, control::Respond respond) {
    read_log_({request.elevator, request.seq, request.since, log_entries_shown},
              [respond = std::move(respond)](const core::Result<sqlite::LogEntries>& entries) {
                  if (entries) {
                      respond({true, "", boost::json::object{{"entries", to_json(*entries)}}});
                  } else {
                      respond({false, entries.error().text, std::nullopt});
                  }
              });
}

void ControlDesk::reset(const control::ResetRequest& reset,
                        const control::Peer& peer,
                        control::Respond respond) {
    const core::RequestId id{++last_request_};
    log(LogLevel::warning,
        "reset_requested",
        {{"elevator", reset.elevator.str()},
         {"operator", peer.user},
         {"took_effect", control::to_string(reset.took_effect)},
         {"force", reset.force ? "true" : ""},
         {"fence", reset.fence ? "true" : ""}});
    waiting_.emplace(id, Waiting{reset.elevator, std::move(respond)});
    events_.post(core::ResetRequested{
        id, reset.elevator, reset.took_effect, reset.force, peer.user, reset.fence});
}

void ControlDesk::reply(const core::ControlReply& reply) {
    const auto waiting = waiting_.find(reply.request);
    if (waiting == waiting_.end()) {
        return;
    }
    log(LogLevel::warning,
        "reset_answered",
        {{"elevator", waiting->second.elevator.str()},
         {"ok", reply.ok ? "true" : "false"},
         {"detail", reply.text}});
    waiting->second.respond({reply.ok, reply.text, std::nullopt});
    waiting_.erase(waiting);
}

}  // namespace liftwarden::app
