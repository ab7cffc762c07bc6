// What can go wrong with a server, and what it means for everybody else.
#pragma once

#include <liftwarden/core/lock.hpp>

#include <boost/system/result.hpp>

#include <string>

namespace liftwarden::redis {

struct Failure {
    enum class Kind {
        late,      // no answer in time
        lost,      // no connection, or it ended
        garbage,   // bytes that are no answer to what was asked
        refused,   // the server's own error, word for word in `text`
        replica,   // answered, but it is no master
        settings,  // our login, address or master's name is wrong
        stopped,   // this process is ending
    };
    Kind kind = Kind::lost;
    std::string text;
};

template <class T>
using Outcome = boost::system::result<T, Failure>;

// Whether this keeps everybody from taking a lock, or only us. Servers name their errors by the
// first word; where that is only ERR, by known sentences.
[[nodiscard]] core::Health health_of(const Failure& failure);

// The login may not do this: NOPERM and its relatives, also from inside a script.
[[nodiscard]] bool is_forbidden(const Failure& failure);

// `text` cut to a length that is fit for a log line, without control characters.
[[nodiscard]] std::string printable(std::string text);

}  // namespace liftwarden::redis
