// Errors are values with a class the caller can act on.
#pragma once

#include <boost/system/result.hpp>

#include <ostream>
#include <stdexcept>
#include <string>

namespace liftwarden::core {

enum class ErrorClass {
    transient,        // nothing happened; the same call may succeed later
    refused,          // the other side answered no; asking again is pointless without a change
    unknown_outcome,  // it may or may not have happened: find out before anything else
    permanent,        // our input or set-up is wrong; a person has to change something
    corrupt,          // data that should be trusted cannot be
};

struct Error {
    ErrorClass kind = ErrorClass::permanent;
    std::string text;  // one sentence with the values that matter, for people
    friend bool operator==(const Error&, const Error&) = default;
};

[[nodiscard]] const char* to_string(ErrorClass kind);

inline std::ostream& operator<<(std::ostream& out, const Error& error) {
    return out << to_string(error.kind) << ": " << error.text;
}

// boost::system::result needs this for .value(); house rule: check, then use *result.
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
    throw std::logic_error(error.text);
}

template <class T>
using Result = boost::system::result<T, Error>;

}  // namespace liftwarden::core
