#include "src/adapters/config/network.hpp"

#include "src/adapters/config/nearest.hpp"
#include "src/adapters/config/report.hpp"
#include "src/adapters/config/scalars.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <optional>

namespace liftwarden::config {
namespace {

core::Error wrong(std::string text) {
    return {core::ErrorClass::permanent, std::move(text)};
}

bool is_ipv6(const std::string& text) {
    in6_addr address{};
    return inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

// RFC 1123 names: letters, digits, '-' and '.', at most 253.
bool is_host_name(std::string_view host) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '.';
    };
    return !host.empty() && host.size() <= 253 && host.front() != '-' && host.front() != '.' &&
           std::all_of(host.begin(), host.end(), allowed);
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    const core::Result<std::int64_t> port = parse_integer(text);
    if (!port || *port < 1 || *port > 65535) {
        return std::nullopt;
    }
    return static_cast<std::uint16_t>(*port);
}

struct Authority {
    std::string host;
    std::optional<std::string_view> port;
};

// Splits "host:port" and "[address]:port".
core::Result<Authority> split_authority(std::string_view text) {
    Authority authority;
    std::string_view after;
    if (!text.empty() && text.front() == '[') {
        const std::size_t close = text.find(']');
        authority.host = std::string(text.substr(1, close == text.npos ? close : close - 1));
        if (close == text.npos || !is_ipv6(authority.host)) {
            return wrong("has no IPv6 address between its brackets");
        }
        after = text.substr(close + 1);
    } else {
        const std::size_t colon = text.find(':');
        authority.host = std::string(text.substr(0, colon));
        if (!is_host_name(authority.host)) {
            return wrong(
                fmt::format("has no host name or address; {} is none (IPv6 goes in "
                            "brackets)",
                            quoted(authority.host)));
        }
        after = colon == text.npos ? std::string_view{} : text.substr(colon);
    }
    if (!after.empty() && after.front() != ':') {
        return wrong(fmt::format("has {} after its host", quoted(after)));
    }
    if (!after.empty()) {
        authority.port = after.substr(1);
    }
    return authority;
}

}  // namespace

core::Result<BrokerUrl> parse_broker_url(std::string_view text) {
    const std::size_t separator = text.find("://");
    const std::string_view scheme = text.substr(0, separator);
    if (text.find('@') != text.npos) {
        return wrong("must not contain a login; use username and password_file");
    }
    if (separator == text.npos || (scheme != "mqtt" && scheme != "mqtts")) {
        return wrong(fmt::format("must begin with mqtt:// or mqtts://, not {}", quoted(text)));
    }
    BrokerUrl url;
    url.tls = scheme == "mqtts";
    url.port = url.tls ? 8883 : 1883;
    std::string_view rest = text.substr(separator + 3);
    if (const std::size_t end = rest.find_first_of("/?#"); end != rest.npos) {
        if (rest.substr(end) != "/") {
            return wrong(fmt::format("ends at host and port; remove {}", quoted(rest.substr(end))));
        }
        rest = rest.substr(0, end);
    }
    const core::Result<Authority> authority = split_authority(rest);
    if (!authority) {
        return authority.error();
    }
    url.host = authority->host;
    if (authority->port) {
        const std::optional<std::uint16_t> port = parse_port(*authority->port);
        if (!port) {
            return wrong(
                fmt::format("has no port from 1 to 65535; {} is none", quoted(*authority->port)));
        }
        url.port = *port;
    }
    return url;
}

core::Result<RedisUrl> parse_redis_url(std::string_view text) {
    constexpr std::string_view scheme = "redis://";
    if (text.find('@') != text.npos) {
        return wrong("must not contain a login; use username and password_file");
    }
    if (text.rfind("rediss://", 0) == 0) {
        return wrong("asks for TLS, which this version does not have; use a trusted segment");
    }
    if (text.rfind(scheme, 0) != 0) {
        return wrong(fmt::format("must begin with redis://, not {}", quoted(text)));
    }
    RedisUrl url;
    std::string_view rest = text.substr(scheme.size());
    if (const std::size_t slash = rest.find('/'); slash != rest.npos) {
        const std::string_view number = rest.substr(slash + 1);
        const core::Result<std::int64_t> database = parse_integer(number);
        if (!number.empty() && (!database || *database < 0 || *database > 1023)) {
            return wrong(fmt::format("has no database number; {} is none", quoted(number)));
        }
        url.database = number.empty() ? 0 : static_cast<int>(*database);
        rest = rest.substr(0, slash);
    }
    const core::Result<Authority> authority = split_authority(rest);
    if (!authority) {
        return authority.error();
    }
    if (!is_numeric_address(authority->host)) {
        return wrong(
            fmt::format("needs a numeric address, not {}: looking up a name could block "
                        "the verification",
                        quoted(authority->host)));
    }
    url.host = authority->host;
    if (authority->port) {
        const std::optional<std::uint16_t> port = parse_port(*authority->port);
        if (!port) {
            return wrong(
                fmt::format("has no port from 1 to 65535; {} is none", quoted(*authority->port)));
        }
        url.port = *port;
    }
    return url;
}

bool is_numeric_address(const std::string& text) {
    in_addr address{};
    return inet_pton(AF_INET, text.c_str(), &address) == 1 || is_ipv6(text);
}

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" ||
           (host.rfind("127.", 0) == 0 && is_numeric_address(host));
}

}  // namespace liftwarden::config
