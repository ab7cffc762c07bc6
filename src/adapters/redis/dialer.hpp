#pragma once

#include "src/adapters/redis/connection.hpp"
#include "src/adapters/redis/login.hpp"
#include "src/adapters/redis/options.hpp"
#include "src/adapters/redis/sentinel.hpp"

#include <liftwarden/ports/lock_service.hpp>

#include <memory>
#include <optional>
#include <string>

namespace liftwarden::redis {

// A connection that is logged in, and what was learned on the way.
struct Session {
    std::unique_ptr<Connection> link;
    std::string address;
    std::string instance;          // run id and replication id when it was opened
    const char* eval = "EVAL_RO";  // EVAL where the server does not know that one
};

// Opens sessions: asks the Sentinels where there are any, connects, logs in with a freshly read
// password, selects the database. Whether the server is a master is for the user to ask with each
// question. Any thread may call.
class Dialer {
  public:
    Dialer(ports::LockSettings settings, ReadSecret read_secret, const WakeEvent& stop);

    [[nodiscard]] Outcome<Session> dial(Deadline deadline) const;

    // What to say at the start if the Sentinels are slower than the takeover; nullopt: nothing, or
    // they cannot be asked.
    [[nodiscard]] std::optional<std::string> slow_sentinels(Deadline deadline) const;
    [[nodiscard]] bool has_sentinels() const { return sentinels_.has_value(); }
    // The address that the Sentinels name now; nullopt: none of them answers.
    [[nodiscard]] std::optional<std::string> named_master(Deadline deadline) const;

  private:
    [[nodiscard]] Outcome<Login> read_login() const;
    [[nodiscard]] Outcome<ports::HostPort> find_server(const Login& login, Deadline deadline) const;
    [[nodiscard]] std::optional<Failure> greet(Session& session,
                                               const Login& login,
                                               Deadline deadline) const;

    const ports::LockSettings settings_;
    const ReadSecret read_secret_;
    const WakeEvent& stop_;
    std::optional<Sentinels> sentinels_;
};

// The value of `name:` in an answer to INFO; "" if it is not there.
[[nodiscard]] std::string info_field(const std::string& info, const std::string& name);
[[nodiscard]] std::string instance_of(const std::string& server, const std::string& replication);

}  // namespace liftwarden::redis
