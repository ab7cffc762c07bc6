#include "drivers/sim/rtu_endpoint.hpp"

#include "drivers/sim/rtu_frame.hpp"
#include "drivers/sim/serial_port.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace liftwarden::sim {

using core::TimePoint;

namespace {

constexpr auto reopen_period = std::chrono::milliseconds{100};

// 3.5 characters of 11 bits, at least 1.75 ms as the serial line specification recommends; on top
// what a USB adapter or a busy machine may add between the bytes of one frame.
core::Duration frame_silence(int baud) {
    const auto characters = std::chrono::microseconds{3'500'000LL * 11 / std::max(baud, 1)};
    return std::max<core::Duration>(characters, std::chrono::microseconds{1750}) +
           std::chrono::milliseconds{4};
}

}  // namespace

RtuEndpoint::RtuEndpoint(SerialLine line, Units units, Log& log, bool log_frames)
    : line_(std::move(line)),
      units_(std::move(units)),
      log_(log),
      log_frames_(log_frames),
      silence_(frame_silence(line_.baud)) {}

core::Result<std::unique_ptr<RtuEndpoint>> RtuEndpoint::open(SerialLine line,
                                                             Units units,
                                                             Log& log,
                                                             bool log_frames) {
    std::unique_ptr<RtuEndpoint> endpoint{
        new RtuEndpoint(std::move(line), std::move(units), log, log_frames)};
    if (const auto problem = endpoint->open_device()) {
        return core::Error{core::ErrorClass::permanent,
                           "cannot open " + endpoint->describe() + ": " + *problem};
    }
    return endpoint;
}

std::optional<std::string> RtuEndpoint::open_device() {
    auto opened = open_serial_port(line_.device, line_.baud, line_.parity, line_.stop_bits);
    if (!opened) {
        return opened.error().text;
    }
    fd_ = std::move(*opened);
    return std::nullopt;
}

void RtuEndpoint::lose_device(TimePoint now, const std::string& why) {
    fd_.reset();
    received_.clear();
    replies_.clear();
    unsent_.clear();
    reopen_at_ = now + reopen_period;
    log_.write(now, "disconnected", {{"endpoint", describe()}, {"why", why}});
}

void RtuEndpoint::watch(std::vector<pollfd>& polls) {
    const int events = unsent_.empty() ? POLLIN : POLLIN | POLLOUT;
    polls.push_back({fd_.get(), static_cast<short>(events), 0});
}

void RtuEndpoint::receive(std::span<const pollfd> polls, TimePoint now) {
    if (!fd_.valid() || (polls[0].revents & (POLLIN | POLLHUP | POLLERR)) == 0) {
        return;
    }
    std::array<std::uint8_t, 512> chunk{};
    const ssize_t got = ::read(fd_.get(), chunk.data(), chunk.size());
    if (got > 0) {
        if (deaf_until_ && now < *deaf_until_) {
            return;
        }
        received_.insert(received_.end(), chunk.begin(), chunk.begin() + got);
        received_at_ = now;
        take_complete_frames(now);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        lose_device(now, got == 0 ? "hung up" : std::strerror(errno));
    }
}

void RtuEndpoint::take_complete_frames(TimePoint now) {
    for (;;) {
        const std::span<const std::uint8_t> bytes{received_};
        const auto size = request_size(bytes);
        if (!size || *size > bytes.size() || !crc_fits(bytes.first(*size))) {
            return;  // the silence decides
        }
        take_frame(bytes.first(*size), now);
        received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(*size));
    }
}

// After the silence: a frame of unknown kind, or noise.
void RtuEndpoint::end_of_frame(TimePoint now) {
    if (crc_fits(received_) && received_.size() <= rtu_frame_max) {
        take_frame(received_, now);
    } else {
        log_.write(now, "garbled", {{"endpoint", describe()}, {"bytes", received_.size()}});
    }
    received_.clear();
}

void RtuEndpoint::take_frame(std::span<const std::uint8_t> frame, TimePoint now) {
    const std::uint8_t unit = frame[0];
    if (units_.find(unit) == units_.end()) {
        return;
    }
    Exchange exchange = serve(units_, unit, frame.subspan(1, frame.size() - 3), now);
    for (boost::json::object* line : {&exchange.in, &exchange.out}) {
        (*line)["endpoint"] = describe();
    }
    if (log_frames_) {
        log_.write(now, "frame", std::move(exchange.in));
    }
    if (exchange.what != Exchange::What::reply) {
        return;
    }
    TimePoint due = now + exchange.delay;
    if (!replies_.empty()) {
        due = std::max(due, replies_.back().due);
    }
    replies_.push_back({due, rtu_frame(unit, exchange.reply), std::move(exchange.out)});
}

std::optional<TimePoint> RtuEndpoint::deadline() const {
    std::optional<TimePoint> next = reopen_at_;
    const auto earlier = [&next](TimePoint candidate) {
        next = next ? std::min(*next, candidate) : candidate;
    };
    if (!replies_.empty()) {
        earlier(replies_.front().due);
    }
    if (!received_.empty()) {
        earlier(received_at_ + silence_);
    }
    return next;
}

void RtuEndpoint::release(TimePoint now) {
    if (reopen_at_ && *reopen_at_ <= now) {
        const auto problem = open_device();
        reopen_at_ = problem ? std::optional{now + reopen_period} : std::nullopt;
        if (!problem) {
            log_.write(now, "listening", {{"endpoint", describe()}});
        }
    }
    if (!received_.empty() && received_at_ + silence_ <= now) {
        end_of_frame(now);
    }
    while (!replies_.empty() && replies_.front().due <= now) {
        Reply& reply = replies_.front();
        unsent_.insert(unsent_.end(), reply.frame.begin(), reply.frame.end());
        if (log_frames_) {
            log_.write(now, "frame", std::move(reply.line));
        }
        replies_.pop_front();
    }
}

void RtuEndpoint::transmit() {
    if (!fd_.valid() || unsent_.empty()) {
        return;
    }
    const ssize_t sent = ::write(fd_.get(), unsent_.data(), unsent_.size());
    if (sent > 0) {
        unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
    } else if (errno != EAGAIN && errno != EINTR) {
        unsent_.clear();  // receive() finds out what is wrong
    }
}

void RtuEndpoint::drop(TimePoint) {
    received_.clear();
    replies_.clear();
    unsent_.clear();
}

void RtuEndpoint::refuse(TimePoint now, TimePoint until) {
    drop(now);
    deaf_until_ = until;
    log_.write(now, "refusing", {{"endpoint", describe()}});
}

}  // namespace liftwarden::sim
