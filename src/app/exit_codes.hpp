// How the process ends; the numbers are the contract's and sysexits'.
#pragma once

namespace liftwarden::app {

inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 64;
inline constexpr int exit_unreachable = 69;
inline constexpr int exit_unavailable_now = 75;  // try again: the service manager does
inline constexpr int exit_config = 78;           // trying again is pointless

}  // namespace liftwarden::app
