// `liftwarden status` for people.
#pragma once

#include <boost/json/object.hpp>

#include <string>

namespace liftwarden::app {

// The daemon's status as a table; what the daemon did not say is shown as "-". Never throws for a
// status of another version. Colours by fd, see coloured().
[[nodiscard]] std::string status_table(const boost::json::object& status, int fd);

}  // namespace liftwarden::app
