// Assertions for our own bugs. They stay on in release: a gateway that no longer knows what it does
// must stop, be restarted and recover from its journal. Never for input from outside.
#pragma once

namespace liftwarden::core {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace liftwarden::core

#define LIFTWARDEN_ASSERT(condition)    \
    ((condition) ? static_cast<void>(0) \
                 : ::liftwarden::core::assertion_failed(#condition, __FILE__, __LINE__))
