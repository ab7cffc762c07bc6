#include "tests/support/rtu_peer.hpp"

#include "tests/support/pseudo_terminal.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace liftwarden::test {
namespace {

constexpr int tick_ms = 5;

unsigned crc_of(const Bytes& bytes) {
    unsigned crc = 0xFFFF;
    for (const unsigned byte : bytes) {
        crc ^= byte;
        for (int i = 0; i < 8; ++i) {
            const bool carry = crc % 2 == 1;
            crc /= 2;
            if (carry) {
                crc ^= 0xA001;
            }
        }
    }
    return crc;
}

// Length of the request that begins here; 0: not to be told yet.
std::size_t request_size(const Bytes& bytes) {
    if (bytes.size() < 7) {
        return 0;
    }
    const bool many = bytes[1] == 15 || bytes[1] == 16;
    return many ? 9U + bytes[6] : 8U;
}

}  // namespace

Bytes rtu_frame(std::uint8_t unit, const Bytes& pdu) {
    Bytes frame(pdu.size() + 1);
    frame[0] = unit;
    std::copy(pdu.begin(), pdu.end(), frame.begin() + 1);
    const unsigned crc = crc_of(frame);
    frame.push_back(static_cast<std::uint8_t>(crc % 256));
    frame.push_back(static_cast<std::uint8_t>(crc / 256));
    return frame;
}

RtuPeer::RtuPeer(std::string link, Behaviour behaviour)
    : link_(std::move(link)), behaviour_(std::move(behaviour)) {
    plug_in();
    thread_ = std::thread([this] { serve(); });
}

RtuPeer::~RtuPeer() {
    ending_ = true;
    thread_.join();
    unplug();
}

void RtuPeer::behave(Behaviour behaviour) {
    const std::lock_guard lock(mutex_);
    behaviour_ = std::move(behaviour);
}

std::vector<RtuRequest> RtuPeer::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

void RtuPeer::unplug() {
    ::unlink(link_.c_str());
    const std::lock_guard lock(terminal_);
    if (master_ >= 0) {
        ::close(std::exchange(master_, -1));
    }
}

void RtuPeer::plug_in() {
    const std::lock_guard lock(terminal_);
    master_ = open_pseudo_terminal(link_);
}

void RtuPeer::send(const Bytes& raw) {
    const std::lock_guard lock(terminal_);
    std::size_t sent = 0;
    while (sent < raw.size() && !ending_) {
        const auto count = ::write(master_, raw.data() + sent, raw.size() - sent);
        if (count <= 0) {
            return;
        }
        sent += static_cast<std::size_t>(count);
    }
}

void RtuPeer::reply(const RtuRequest& request, const Bytes& pdu) {
    send(rtu_frame(request.unit, pdu));
}

void RtuPeer::send_in_pieces(const Bytes& raw, std::size_t size, Millis gap) {
    for (std::size_t at = 0; at < raw.size() && !ending_; at += size) {
        const auto from = raw.begin() + static_cast<std::ptrdiff_t>(at);
        send({from, from + static_cast<std::ptrdiff_t>(std::min(size, raw.size() - at))});
        sleep(gap);
    }
}

void RtuPeer::sleep(Millis time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!ending_ && std::chrono::steady_clock::now() < end) {
        const auto left = end - std::chrono::steady_clock::now();
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, Millis{tick_ms}));
    }
}

bool RtuPeer::more_waits() {
    const std::lock_guard lock(terminal_);
    pollfd state{master_, POLLIN, 0};
    return ::poll(&state, 1, 0) > 0 && (state.revents & POLLIN) != 0;
}

void RtuPeer::well_behaved(RtuPeer& peer, const RtuRequest& request, const Good& good) {
    peer.reply(request, good());
}

void RtuPeer::serve() {
    Bytes pending;
    while (!ending_) {
        const Bytes chunk = receive();
        if (chunk.empty()) {
            sleep(Millis{1});
            continue;
        }
        if (echo_) {
            send(chunk);
        }
        pending.insert(pending.end(), chunk.begin(), chunk.end());
        take_frames(pending);
    }
}

Bytes RtuPeer::receive() {
    const std::lock_guard lock(terminal_);
    pollfd state{master_, POLLIN, 0};
    if (::poll(&state, 1, 0) <= 0 || (state.revents & POLLIN) == 0) {
        return {};
    }
    Bytes chunk(600);
    const auto count = ::read(master_, chunk.data(), chunk.size());
    chunk.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return chunk;
}

void RtuPeer::take_frames(Bytes& pending) {
    for (std::size_t size = request_size(pending); size != 0 && pending.size() >= size;
         size = request_size(pending)) {
        const auto end = pending.begin() + static_cast<std::ptrdiff_t>(size);
        RtuRequest request;
        request.unit = pending[0];
        request.pdu.assign(pending.begin() + 1, end - 2);
        request.at = std::chrono::steady_clock::now();
        const bool sound = rtu_frame(request.unit, request.pdu) == Bytes(pending.begin(), end);
        pending.erase(pending.begin(), end);
        if (!sound) {
            pending.clear();
            return;
        }
        Behaviour behaviour;
        {
            const std::lock_guard lock(mutex_);
            request.number = requests_.size();
            requests_.push_back(request);
            behaviour = behaviour_;
        }
        behaviour(*this, request, [&] { return registers_.answer(request.pdu); });
    }
}

}  // namespace liftwarden::test
