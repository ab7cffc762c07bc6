// The command line: `liftwarden SUBCOMMAND ...`.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/event.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::app {

// The whole program; its exit code (see exit_codes.hpp).
int main_cli(int argc, char** argv);

// What each subcommand was given. The functions run to the end and return the exit code.

struct RunArguments {
    std::string config;
    bool verbose = false;
};
int run_command(const RunArguments& arguments);

struct CheckArguments {
    std::vector<std::string> files;
    bool json = false;
};
int check_command(const CheckArguments& arguments);

struct SimArguments {
    std::string config;
    std::optional<std::uint16_t> tcp;  // one endpoint with all elevators, instead of the map's
    std::string rtu;                   // likewise, on this device
    std::optional<core::Duration> scan;
    std::string input = "latch";
    bool unprotected = false;
    std::vector<std::string> faults;
    std::string log = "-";
    std::string control;
};
int sim_command(const SimArguments& arguments);

struct SendArguments {
    std::string config;
    core::Command command;  // without seq and ttl, if those were not given
    std::optional<std::string> username;
    std::optional<std::string> password_file;
    bool json = false;
};
int send_command(SendArguments arguments);

struct StatusArguments {
    std::string config;
    bool json = false;
};
int status_command(const StatusArguments& arguments);

struct ResetArguments {
    std::string config;
    core::ElevatorId elevator;
    std::optional<core::TookEffect> took_effect;  // missing: asked on the terminal
    bool force = false;
    bool fence = false;
    bool json = false;
};
int reset_command(const ResetArguments& arguments);

struct LogArguments {
    std::string config;
    std::optional<core::ElevatorId> elevator;
    std::optional<core::Seq> seq;
    std::optional<core::Duration> since;  // ago
    bool json = false;
};
int log_command(const LogArguments& arguments);

}  // namespace liftwarden::app
