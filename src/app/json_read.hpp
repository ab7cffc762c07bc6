// Reading what the daemon said, for display: whatever is missing or of another kind shows as empty.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>

namespace liftwarden::app {

[[nodiscard]] const boost::json::value& value_at(const boost::json::object& object,
                                                 const char* key);
[[nodiscard]] const boost::json::object& object_at(const boost::json::object& object,
                                                   const char* key);
[[nodiscard]] const boost::json::array& array_at(const boost::json::object& object,
                                                 const char* key);
// "-" for null, "yes" and "no" for booleans, everything else as it stands.
[[nodiscard]] std::string text_of(const boost::json::value& value);
[[nodiscard]] std::string text_at(const boost::json::object& object, const char* key);
[[nodiscard]] bool flag_at(const boost::json::object& object, const char* key);
[[nodiscard]] std::int64_t number_at(const boost::json::object& object, const char* key);

}  // namespace liftwarden::app
