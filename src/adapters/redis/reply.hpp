#pragma once

#include <hiredis/hiredis.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace liftwarden::redis {

// One value of an answer; a view into the Reply it came from. Asking for another type than it has,
// or for a place it has not, gives nullopt or an empty value, never a fault: answers come from
// outside.
class Value {
  public:
    explicit Value(const redisReply* value) : value_(value) {}

    [[nodiscard]] bool is_error() const { return type() == REDIS_REPLY_ERROR; }
    // A bulk string or a status.
    [[nodiscard]] std::optional<std::string> text() const {
        if (type() != REDIS_REPLY_STRING && type() != REDIS_REPLY_STATUS) {
            return std::nullopt;
        }
        return std::string(value_->str, value_->len);
    }
    [[nodiscard]] std::string error() const {
        return is_error() ? std::string(value_->str, value_->len) : std::string();
    }
    [[nodiscard]] std::optional<std::int64_t> integer() const {
        return type() == REDIS_REPLY_INTEGER ? std::optional<std::int64_t>(value_->integer)
                                             : std::nullopt;
    }
    [[nodiscard]] bool is_array() const { return type() == REDIS_REPLY_ARRAY; }
    [[nodiscard]] std::size_t size() const { return is_array() ? value_->elements : 0; }
    [[nodiscard]] Value at(std::size_t place) const {
        return Value(place < size() ? value_->element[place] : nullptr);
    }

  private:
    [[nodiscard]] int type() const { return value_ == nullptr ? 0 : value_->type; }
    const redisReply* value_;
};

// Owns an answer.
class Reply {
  public:
    explicit Reply(void* reply) : reply_(static_cast<redisReply*>(reply)) {}
    [[nodiscard]] Value value() const { return Value(reply_.get()); }

  private:
    struct Free {
        void operator()(redisReply* reply) const { ::freeReplyObject(reply); }
    };
    std::unique_ptr<redisReply, Free> reply_;
};

}  // namespace liftwarden::redis
