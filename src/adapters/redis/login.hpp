#pragma once

#include "src/adapters/redis/connection.hpp"

#include <optional>
#include <string>

namespace liftwarden::redis {

// What AUTH needs; no password: no AUTH.
struct Login {
    std::optional<std::string> username;
    std::optional<std::string> password;

    // The command; views into this object.
    [[nodiscard]] Connection::Words words() const {
        if (username) {
            return {"AUTH", *username, *password};
        }
        return {"AUTH", *password};
    }
};

}  // namespace liftwarden::redis
