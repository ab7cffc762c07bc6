#include "tests/support/redis_client.hpp"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace liftwarden::test {
namespace {

timeval to_timeval(Millis limit) {
    const auto ms = std::max<std::int64_t>(1, limit.count());
    return {static_cast<std::time_t>(ms / 1000), static_cast<suseconds_t>(ms % 1000 * 1000)};
}

std::string text_of(const redisReply& reply) {
    switch (reply.type) {
        case REDIS_REPLY_INTEGER:
            return std::to_string(reply.integer);
        case REDIS_REPLY_NIL:
            return "(nil)";
        case REDIS_REPLY_ERROR:
            return "-" + std::string(reply.str, reply.len);
        case REDIS_REPLY_ARRAY: {
            std::string all;
            for (std::size_t i = 0; i < reply.elements; ++i) {
                all += (i == 0 ? "" : " ") + text_of(*reply.element[i]);
            }
            return all;
        }
        default:
            return std::string(reply.str, reply.len);
    }
}

std::string take(void* answer) {
    const std::unique_ptr<redisReply, void (*)(void*)> reply(static_cast<redisReply*>(answer),
                                                             ::freeReplyObject);
    return text_of(*reply);
}

}  // namespace

void RedisClient::Free::operator()(redisContext* context) const {
    ::redisFree(context);
}

RedisClient::RedisClient(std::uint16_t port, Millis limit)
    : context_(::redisConnectWithTimeout("127.0.0.1", port, to_timeval(limit))) {
    if (!context_ || context_->err != 0) {
        throw std::runtime_error("cannot connect to Redis");
    }
    ::redisSetTimeout(context_.get(), to_timeval(limit));
}

void RedisClient::send(const std::vector<std::string>& words) {
    std::vector<const char*> data;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
        data.push_back(word.data());
        sizes.push_back(word.size());
    }
    ::redisAppendCommandArgv(
        context_.get(), static_cast<int>(data.size()), data.data(), sizes.data());
    int done = 0;
    while (done == 0) {
        if (::redisBufferWrite(context_.get(), &done) != REDIS_OK) {
            throw std::runtime_error(std::string("Redis: ") + context_->errstr);
        }
    }
}

std::string RedisClient::command(const std::vector<std::string>& words) {
    send(words);
    void* answer = nullptr;
    if (::redisGetReply(context_.get(), &answer) != REDIS_OK) {
        throw std::runtime_error(std::string("Redis: ") + context_->errstr);
    }
    return take(answer);
}

std::optional<std::string> RedisClient::next(Millis limit) {
    ::redisSetTimeout(context_.get(), to_timeval(limit));
    void* answer = nullptr;
    if (::redisGetReply(context_.get(), &answer) != REDIS_OK) {
        return std::nullopt;
    }
    return take(answer);
}

RedissonThread::RedissonThread(std::uint16_t port, std::string lock, std::string id, bool fenced)
    : port_(port), lock_(std::move(lock)), id_(std::move(id)), fenced_(fenced), client_(port) {}

std::string RedissonThread::beside(const std::string& prefix) const {
    const bool tagged = lock_.find('{') != std::string::npos;
    return prefix + (tagged ? ":" + lock_ : ":{" + lock_ + "}");
}

std::optional<std::int64_t> RedissonThread::try_lock(Millis lease) {
    static const std::string script = R"(
local free = redis.call('exists', KEYS[1]) == 0
if free or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  if KEYS[2] then return {-1, redis.call('incr', KEYS[2])} end
  return {-1, 0}
end
return {redis.call('pttl', KEYS[1]), 0}
)";
    std::vector<std::string> words{"EVAL", script, fenced_ ? "2" : "1", lock_};
    if (fenced_) {
        words.push_back(beside("redisson_lock_token"));
    }
    words.insert(words.end(), {std::to_string(lease.count()), id_});
    const std::string answer = client_.command(words);
    const auto blank = answer.find(' ');
    if (blank == std::string::npos || answer.find_first_not_of("-0123456789 ") != answer.npos) {
        throw std::runtime_error("tryLock: " + answer);
    }
    if (answer.substr(0, blank) == "-1") {
        return std::stoll(answer.substr(blank + 1));
    }
    last_life_ = Millis{std::stoll(answer)};
    return std::nullopt;
}

bool RedissonThread::renew(Millis lease) {
    return client_.command({"EVAL",
                            "if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then "
                            "return redis.call('pexpire', KEYS[1], ARGV[1]) end return 0",
                            "1",
                            lock_,
                            std::to_string(lease.count()),
                            id_}) == "1";
}

bool RedissonThread::unlock() {
    return client_.command({"EVAL",
                            "if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end "
                            "if redis.call('hincrby', KEYS[1], ARGV[1], -1) > 0 then return 2 end "
                            "redis.call('del', KEYS[1]) redis.call('publish', KEYS[2], '0') "
                            "return 1",
                            "2",
                            lock_,
                            beside("redisson_lock__channel"),
                            id_}) == "1";
}

std::optional<std::int64_t> RedissonThread::lock(Millis lease, Millis limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    auto token = try_lock(lease);
    if (token) {
        return token;
    }
    RedisClient listener(port_);
    listener.command({"SUBSCRIBE", beside("redisson_lock__channel")});
    for (;;) {
        token = try_lock(lease);
        const auto now = std::chrono::steady_clock::now();
        if (token || now >= deadline) {
            return token;
        }
        const auto left = std::chrono::duration_cast<Millis>(deadline - now);
        const Millis wait = last_life_ < Millis{0} ? left : std::min(left, last_life_);
        if (!listener.next(wait)) {
            listener = RedisClient(port_);  // after a time-out it may not be used again
            listener.command({"SUBSCRIBE", beside("redisson_lock__channel")});
        }
    }
}

}  // namespace liftwarden::test
