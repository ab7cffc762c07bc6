#pragma once

#include <string>

namespace liftwarden::test {

// The master's end of a new pseudo terminal, raw and non-blocking; the other end gets the name
// `link`, as udev names an adapter. Throws std::runtime_error.
[[nodiscard]] int open_pseudo_terminal(const std::string& link);

}  // namespace liftwarden::test
