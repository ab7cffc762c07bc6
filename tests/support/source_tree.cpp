#include "tests/support/source_tree.hpp"

namespace liftwarden::test {

std::filesystem::path source_tree() {
    return LIFTWARDEN_SOURCE_TREE;
}

}  // namespace liftwarden::test
