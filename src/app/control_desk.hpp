// Answers the operators at the control socket.
#pragma once

#include "src/adapters/control/server.hpp"
#include "src/adapters/control/status_json.hpp"
#include "src/adapters/sqlite/log_query.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/ports/event_sink.hpp>

#include <cstdint>
#include <functional>
#include <map>

namespace liftwarden::app {

// Answers status at once; hands a reset to the core, a question for the log to the journal, and
// their replies back to who asked. Every reset is logged with its operator. Loop thread.
class ControlDesk {
  public:
    using Report = std::function<control::StatusReport()>;
    // Asks the journal; the reply comes on the loop thread.
    using ReadLog = std::function<void(sqlite::LogFilter, sqlite::LogReply)>;

    ControlDesk(ports::EventSink& events, Report report, ReadLog read_log)
        : events_(events), report_(std::move(report)), read_log_(std::move(read_log)) {}

    void handle(const control::Request& request,
                const control::Peer& peer,
                control::Respond respond);
    // The core's answer to a reset.
    void reply(const core::ControlReply& reply);

  private:
    void reset(const control::ResetRequest& request,
               const control::Peer& peer,
               control::Respond respond);
    void show_log(const control::LogRequest& request, control::Respond respond);

    ports::EventSink& events_;
    Report report_;
    ReadLog read_log_;
    std::uint64_t last_request_ = 0;
    // As many as the control socket serves peers: it bounds them.
    struct Waiting {
        core::ElevatorId elevator;
        control::Respond respond;
    };
    std::map<core::RequestId, Waiting> waiting_;
};

}  // namespace liftwarden::app
