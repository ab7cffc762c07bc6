#include "src/adapters/system/boot_id.hpp"

#include <fstream>

namespace liftwarden::system {

core::Result<std::string> boot_id() {
    constexpr const char* path = "/proc/sys/kernel/random/boot_id";
    constexpr std::size_t uuid_length = 36;
    std::ifstream file(path);
    std::string id;
    if (!std::getline(file, id) || id.size() != uuid_length) {
        return core::Error{core::ErrorClass::permanent,
                           std::string("cannot read the boot id from ") + path};
    }
    return id;
}

}  // namespace liftwarden::system
