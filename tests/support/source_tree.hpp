#pragma once

#include <filesystem>

namespace liftwarden::test {

// The checked-out repository, for tests that read shipped files. Not from __FILE__: a compiler
// cache shared by several checkouts makes that path relative to wherever the build ran.
[[nodiscard]] std::filesystem::path source_tree();

}  // namespace liftwarden::test
