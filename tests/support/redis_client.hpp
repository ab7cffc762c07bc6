#pragma once

#include "tests/support/wait.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct redisContext;

namespace liftwarden::test {

// A plain client. Answers are text: strings as they are, integers in decimal, nil as "(nil)",
// errors with a "-" in front, arrays joined by a blank. Throws std::runtime_error when the
// connection fails or no answer comes within `limit`. For one thread.
class RedisClient {
  public:
    explicit RedisClient(std::uint16_t port, Millis limit = 20s);

    std::string command(const std::vector<std::string>& words);
    // Sends without waiting for the answer.
    void send(const std::vector<std::string>& words);
    // The next answer or message; nullopt: none within `limit`, and the client is of no more use.
    std::optional<std::string> next(Millis limit);

  private:
    struct Free {
        void operator()(redisContext* context) const;
    };
    std::unique_ptr<redisContext, Free> context_;
};

// One thread of a node that uses Redisson's locks: the same keys, values, channel and effects.
class RedissonThread {
  public:
    // `fenced`: RFencedLock, with its counter.
    RedissonThread(std::uint16_t port, std::string lock, std::string id, bool fenced = false);

    // nullopt: somebody else holds it. Otherwise the fencing token, or 0 without one.
    std::optional<std::int64_t> try_lock(Millis lease = 30s);
    bool renew(Millis lease = 30s);
    bool unlock();
    // Like lock(): tries, subscribes, and waits for the message of an unlock or the holder's lease
    // before each further try. nullopt: not got within `limit`.
    std::optional<std::int64_t> lock(Millis lease, Millis limit);

    [[nodiscard]] const std::string& id() const { return id_; }    // `uuid:threadId`
    [[nodiscard]] Millis last_life() const { return last_life_; }  // of the holder, by try_lock()

  private:
    [[nodiscard]] std::string beside(const std::string& prefix) const;

    std::uint16_t port_;
    std::string lock_;
    std::string id_;
    bool fenced_;
    RedisClient client_;
    Millis last_life_{0};
};

}  // namespace liftwarden::test
