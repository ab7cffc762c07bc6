// Where brokers and PLCs are.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/ports/lock_service.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace liftwarden::config {

struct BrokerUrl {
    bool tls = false;
    std::string host;  // name or numeric address, without the brackets of IPv6
    std::uint16_t port = 1883;
    friend bool operator==(const BrokerUrl&, const BrokerUrl&) = default;
};

// mqtt://host[:port] or mqtts://host[:port]; 1883 and 8883 where no port is given; IPv6 addresses
// in brackets. The error is a whole clause that follows the key; it never repeats a login that
// somebody wrote into the URL.
[[nodiscard]] core::Result<BrokerUrl> parse_broker_url(std::string_view text);

struct RedisUrl {
    std::string host;  // numeric address
    std::uint16_t port = 6379;
    int database = 0;
    friend bool operator==(const RedisUrl&, const RedisUrl&) = default;
};

// redis://address[:port][/database], numeric addresses only. The error as above.
[[nodiscard]] core::Result<RedisUrl> parse_redis_url(std::string_view text);

inline constexpr std::uint16_t redis_port = 6379;
inline constexpr std::uint16_t sentinel_port = 26379;

// address[:port] of a Sentinel, numeric addresses only; 26379 where no port is given. The error as
// above.
[[nodiscard]] core::Result<ports::HostPort> parse_sentinel(std::string_view text);

// True for a numeric IPv4 or IPv6 address: what can be connected to without asking a name server.
[[nodiscard]] bool is_numeric_address(const std::string& text);

// "10.0.0.5:502", "[::1]:502" and "[::1]" in their parts, whatever these are.
struct HostAndPort {
    std::string host;
    std::string_view port;
};
[[nodiscard]] HostAndPort split_host(std::string_view text);

// True for 127.0.0.0/8, ::1 and localhost.
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace liftwarden::config
