#include "tests/support/serial_cable.hpp"

#include "tests/support/pseudo_terminal.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace liftwarden::test {
namespace {

SerialCable::Bytes receive(int fd) {
    SerialCable::Bytes chunk(600);
    const auto count = ::read(fd, chunk.data(), chunk.size());
    chunk.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return chunk;
}

// What does not fit now stays; without another side all of it is lost.
void deliver(int fd, SerialCable::Bytes& waiting) {
    if (waiting.empty()) {
        return;
    }
    const auto count = ::write(fd, waiting.data(), waiting.size());
    waiting.erase(waiting.begin(), count > 0 ? waiting.begin() + count : waiting.end());
}

}  // namespace

SerialCable::SerialCable(std::string gateway_end, std::string plc_end)
    : gateway_end_(std::move(gateway_end)),
      plc_end_(std::move(plc_end)),
      plc_(open_pseudo_terminal(plc_end_)) {
    plug_in();
    thread_ = std::thread([this] { run(); });
}

SerialCable::~SerialCable() {
    ending_ = true;
    thread_.join();
    unplug();
    ::close(plc_);
}

void SerialCable::unplug() {
    ::unlink(gateway_end_.c_str());
    const std::lock_guard lock(mutex_);
    if (gateway_ >= 0) {
        ::close(std::exchange(gateway_, -1));
    }
    to_gateway_.clear();
}

void SerialCable::plug_in() {
    const std::lock_guard lock(mutex_);
    gateway_ = open_pseudo_terminal(gateway_end_);
}

void SerialCable::tamper(Tamper tamper) {
    const std::lock_guard lock(mutex_);
    tamper_ = std::move(tamper);
}

void SerialCable::run() {
    while (!ending_) {
        const bool out = carry(Way::to_plc);
        const bool back = carry(Way::to_gateway);
        if (!out && !back) {
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }
}

bool SerialCable::carry(Way way) {
    const std::lock_guard lock(mutex_);
    const bool out = way == Way::to_plc;
    Bytes chunk = receive(out ? gateway_ : plc_);
    const bool came = !chunk.empty();
    if (came && out && echo_) {
        to_gateway_.insert(to_gateway_.end(), chunk.begin(), chunk.end());
    }
    if (came && tamper_) {
        tamper_(way, chunk);
    }
    Bytes& waiting = out ? to_plc_ : to_gateway_;
    waiting.insert(waiting.end(), chunk.begin(), chunk.end());
    if (!hold_) {
        deliver(out ? plc_ : gateway_, waiting);
    }
    return came;
}

}  // namespace liftwarden::test
