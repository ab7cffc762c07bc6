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

// "10.0.0.2", ":6379" of "10.0.0.2:6379"; an IPv6 address without brackets would be cut at its
// first colon.
core::Result<Authority> split_plain(std::string_view text) {
    if (is_ipv6(std::string(text)) || text.find("::") != text.npos) {
        return wrong(
            "needs brackets around its IPv6 address, the port behind them: "
            "[fe80::1]:6379");
    }
    Authority authority;
    const std::size_t colon = text.find(':');
    authority.host = std::string(text.substr(0, colon));
    if (!is_host_name(authority.host)) {
        return wrong(
            fmt::format("has no host name or address; {} is none", quoted(authority.host)));
    }
    if (colon != text.npos) {
        authority.port = text.substr(colon + 1);
    }
    return authority;
}

// Splits "host:port" and "[address]:port".
core::Result<Authority> split_authority(std::string_view text) {
    if (text.empty() || text.front() != '[') {
        return split_plain(text);
    }
    Authority authority;
    const std::size_t close = text.find(']');
    authority.host = std::string(text.substr(1, close == text.npos ? close : close - 1));
    if (close == text.npos || !is_ipv6(authority.host)) {
        return wrong("has no IPv6 address between its brackets");
    }
    const std::string_view after = text.substr(close + 1);
    if (!after.empty() && after.front() != ':') {
        return wrong(fmt::format("has {} after its host", quoted(after)));
    }
    if (!after.empty()) {
        authority.port = after.substr(1);
    }
    return authority;
}

struct Endpoint {
    std::string host;
    std::uint16_t port = 0;
};

core::Result<Endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port) {
    core::Result<Authority> authority = split_authority(text);
    if (!authority) {
        return authority.error();
    }
    Endpoint endpoint{std::move(authority->host), default_port};
    if (authority->port) {
        const std::optional<std::uint16_t> port = parse_port(*authority->port);
        if (!port) {
            return wrong(
                fmt::format("has no port from 1 to 65535; {} is none", quoted(*authority->port)));
        }
        endpoint.port = *port;
    }
    return endpoint;
}

core::Result<Endpoint> parse_numeric_endpoint(std::string_view text, std::uint16_t default_port) {
    core::Result<Endpoint> endpoint = parse_endpoint(text, default_port);
    if (endpoint && !is_numeric_address(endpoint->host)) {
        return wrong(
            fmt::format("needs a numeric address, not {}: looking up a name could block "
                        "the verification",
                        quoted(endpoint->host)));
    }
    return endpoint;
}

// "; did you mean ...", if what stands there is right but for its scheme.
std::string meant_with(std::string_view scheme, std::string_view given) {
    const std::size_t separator = given.find("://");
    const std::string_view rest = separator == given.npos ? given : given.substr(separator + 3);
    const std::string_view authority = rest.substr(0, rest.find('/'));
    return parse_endpoint(authority, 1)
               ? fmt::format("; did you mean {}?", quoted(fmt::format("{}{}", scheme, rest)))
               : std::string{};
}

bool has_login(std::string_view url) {
    return url.find('@') != url.npos;
}

core::Error login_in_url() {
    return wrong("must not contain a login; use username and password_file");
}

}  // namespace

core::Result<BrokerUrl> parse_broker_url(std::string_view text) {
    const std::size_t separator = text.find("://");
    const std::string_view scheme = text.substr(0, separator);
    if (has_login(text)) {
        return login_in_url();
    }
    if (separator == text.npos || (scheme != "mqtt" && scheme != "mqtts")) {
        const bool tls = scheme == "ssl" || scheme == "tls" || scheme == "MQTTS";
        return wrong(fmt::format("must begin with mqtt:// or mqtts://, not {}{}",
                                 quoted(text),
                                 meant_with(tls ? "mqtts://" : "mqtt://", text)));
    }
    BrokerUrl url;
    url.tls = scheme == "mqtts";
    std::string_view rest = text.substr(separator + 3);
    if (const std::size_t end = rest.find_first_of("/?#"); end != rest.npos) {
        if (rest.substr(end) != "/") {
            return wrong(fmt::format("ends at host and port; remove {}", quoted(rest.substr(end))));
        }
        rest = rest.substr(0, end);
    }
    core::Result<Endpoint> endpoint = parse_endpoint(rest, url.tls ? 8883 : 1883);
    if (!endpoint) {
        return endpoint.error();
    }
    url.host = std::move(endpoint->host);
    url.port = endpoint->port;
    return url;
}

core::Result<RedisUrl> parse_redis_url(std::string_view text) {
    constexpr std::string_view scheme = "redis://";
    if (has_login(text)) {
        return login_in_url();
    }
    if (text.rfind("rediss://", 0) == 0) {
        return wrong("asks for TLS, which this version does not have; use a trusted segment");
    }
    if (text.rfind(scheme, 0) != 0) {
        return wrong(fmt::format(
            "must begin with redis://, not {}{}", quoted(text), meant_with(scheme, text)));
    }
    RedisUrl url;
    std::string_view rest = text.substr(scheme.size());
    if (const std::size_t end = rest.find_first_of("?#"); end != rest.npos) {
        return wrong(fmt::format("ends at the database; remove everything from {} on",
                                 quoted(rest.substr(end, 1))));
    }
    if (const std::size_t slash = rest.find('/'); slash != rest.npos) {
        const std::string_view number = rest.substr(slash + 1);
        const core::Result<std::int64_t> database = parse_integer(number);
        if (!number.empty() && (!database || *database < 0 || *database > 1023)) {
            return wrong(fmt::format("has no database from 0 to 1023; {} is none", quoted(number)));
        }
        url.database = number.empty() ? 0 : static_cast<int>(*database);
        rest = rest.substr(0, slash);
    }
    core::Result<Endpoint> endpoint = parse_numeric_endpoint(rest, redis_port);
    if (!endpoint) {
        return endpoint.error();
    }
    url.host = std::move(endpoint->host);
    url.port = endpoint->port;
    return url;
}

core::Result<ports::HostPort> parse_sentinel(std::string_view text) {
    if (has_login(text)) {
        return login_in_url();
    }
    if (const std::size_t separator = text.find("://"); separator != text.npos) {
        return wrong(fmt::format("is an address without a scheme; remove {}",
                                 quoted(text.substr(0, separator + 3))));
    }
    if (const std::size_t slash = text.find('/'); slash != text.npos) {
        return wrong(fmt::format("ends at the port; remove {}", quoted(text.substr(slash))));
    }
    core::Result<Endpoint> endpoint = parse_numeric_endpoint(text, sentinel_port);
    if (!endpoint) {
        return endpoint.error();
    }
    return ports::HostPort{std::move(endpoint->host), endpoint->port};
}

bool is_numeric_address(const std::string& text) {
    in_addr address{};
    return inet_pton(AF_INET, text.c_str(), &address) == 1 || is_ipv6(text);
}

HostAndPort split_host(std::string_view text) {
    const std::size_t close = text.find(']');
    const bool brackets = !text.empty() && text.front() == '[' && close != text.npos;
    const std::size_t colon = text.find(':', brackets ? close : 0);
    const std::string_view host = text.substr(0, colon);
    return {std::string(brackets ? text.substr(1, close - 1) : host),
            colon == text.npos ? std::string_view{} : text.substr(colon + 1)};
}

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" ||
           (host.rfind("127.", 0) == 0 && is_numeric_address(host));
}

}  // namespace liftwarden::config
