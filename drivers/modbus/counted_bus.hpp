#pragma once

#include <liftwarden/ports/register_bus.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace liftwarden::modbus {

// Passes everything on and counts it. The counters may be read by any thread.
class CountedBus final : public ports::RegisterBus {
  public:
    explicit CountedBus(std::unique_ptr<ports::RegisterBus> bus) : bus_(std::move(bus)) {}

    [[nodiscard]] ports::BusResult<std::vector<std::uint16_t>> read(
        const ports::ReadRequest& request) override {
        auto result = bus_->read(request);
        count(result.has_value());
        return result;
    }
    [[nodiscard]] core::WriteOutcome write(const ports::WriteRequest& request) override {
        auto outcome = bus_->write(request);
        count(outcome.kind == core::WriteOutcome::Kind::confirmed);
        return outcome;
    }
    void abort() override { bus_->abort(); }
    [[nodiscard]] std::uint64_t link() const override { return bus_->link(); }
    void settle() override { bus_->settle(); }
    void stop() override { bus_->stop(); }

    [[nodiscard]] std::uint64_t links() const { return links_.load(); }
    [[nodiscard]] std::uint64_t transactions() const { return transactions_.load(); }
    [[nodiscard]] std::uint64_t faults() const { return faults_.load(); }

  private:
    void count(bool good) {
        ++transactions_;
        faults_ += good ? 0U : 1U;
        links_.store(bus_->link());
    }

    std::unique_ptr<ports::RegisterBus> bus_;
    std::atomic<std::uint64_t> links_{0};
    std::atomic<std::uint64_t> transactions_{0};
    std::atomic<std::uint64_t> faults_{0};
};

}  // namespace liftwarden::modbus
