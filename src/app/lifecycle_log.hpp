// The life of a command as the log tells it.
#pragma once

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/result.hpp>

namespace liftwarden::app {

// `result elevator= seq= source= status= ...` at info.
void log_result(const core::ResultMessage& message);
// `write elevator= wire_seq= order=` at info: the moment before the bus gets it.
void log_write(const core::WriteCommand& action);
// `event kind= ...` at warning if somebody should come, else at info.
void log_alarm(const core::Alarm& alarm);

}  // namespace liftwarden::app
