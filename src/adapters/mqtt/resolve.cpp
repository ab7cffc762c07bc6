#include "src/adapters/mqtt/resolve.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace liftwarden::mqtt {
namespace {

using Addresses = core::Result<std::vector<std::string>>;

// Shared with the thread that may outlive the call.
struct Lookup {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Addresses> answer;
};

std::atomic<bool> lookup_running{false};

bool is_numeric(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> space{};
    return ::inet_pton(AF_INET, host.c_str(), space.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), space.data()) == 1;
}

Addresses look_up(const std::string& host) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (error != 0) {
        return core::Error{core::ErrorClass::transient,
                           "cannot resolve " + host + ": " + ::gai_strerror(error)};
    }
    std::vector<std::string> addresses;
    for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
        std::array<char, NI_MAXHOST> text{};
        if (::getnameinfo(entry->ai_addr,
                          entry->ai_addrlen,
                          text.data(),
                          text.size(),
                          nullptr,
                          0,
                          NI_NUMERICHOST) == 0) {
            addresses.emplace_back(text.data());
        }
    }
    ::freeaddrinfo(found);
    return addresses;
}

core::Error transient(const std::string& text) {
    return {core::ErrorClass::transient, text};
}

}  // namespace

core::Result<std::vector<std::string>> resolve(const std::string& host,
                                               std::chrono::milliseconds limit,
                                               const std::function<bool()>& cancelled) {
    if (is_numeric(host)) {
        return std::vector<std::string>{host};
    }
    if (lookup_running.exchange(true)) {
        return transient("the look-up of a host name is still hanging");
    }
    const auto lookup = std::make_shared<Lookup>();
    std::thread([lookup, host] {
        Addresses answer = look_up(host);
        const std::lock_guard lock(lookup->mutex);
        lookup->answer = std::move(answer);
        lookup_running = false;
        lookup->changed.notify_all();
    }).detach();

    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::unique_lock lock(lookup->mutex);
    while (!lookup->answer && !cancelled() && std::chrono::steady_clock::now() < deadline) {
        lookup->changed.wait_for(lock, std::chrono::milliseconds{50});
    }
    if (!lookup->answer) {
        return transient("no answer to the look-up of " + host);
    }
    return *lookup->answer;
}

}  // namespace liftwarden::mqtt
