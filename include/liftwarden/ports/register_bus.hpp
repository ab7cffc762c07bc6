// One Modbus line or endpoint as a driver sees it: blocking transactions, one at a time.
#pragma once

#include <liftwarden/core/observation.hpp>

#include <boost/system/result.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace liftwarden::ports {

enum class RegisterTable { holding, input, coil, discrete };
[[nodiscard]] const char* to_string(RegisterTable table);

// First address is 0-based, as on the wire. Limits of the protocol: 125 registers or 2000 bits.
struct ReadRequest {
    std::uint8_t unit = 1;
    RegisterTable table = RegisterTable::holding;
    std::uint16_t address = 0;
    std::uint16_t count = 1;
    friend bool operator==(const ReadRequest&, const ReadRequest&) = default;
};

// A write of holding registers (functions 6 and 16) or coils (5 and 15). One command is one
// request.
struct WriteRequest {
    std::uint8_t unit = 1;
    std::uint8_t function = 16;
    std::uint16_t address = 0;
    std::vector<std::uint16_t> values;  // coils: 0 or 1
    friend bool operator==(const WriteRequest&, const WriteRequest&) = default;
};

// Why a transaction did not give an answer that can be used.
struct BusFault {
    enum class Kind {
        not_connected,  // nothing was sent
        silent,         // no complete answer in time
        garbled,        // an answer to something else, or bad CRC
        broken,         // the connection or the port failed
        exception,      // the unit answered with an exception code
    };
    Kind kind = Kind::silent;
    std::uint8_t exception = 0;
    std::string detail;
    friend bool operator==(const BusFault&, const BusFault&) = default;
};
[[nodiscard]] const char* to_string(BusFault::Kind kind);

[[noreturn]] void throw_exception_from_error(const BusFault& fault, const boost::source_location&);

template <class T>
using BusResult = boost::system::result<T, BusFault>;

// Guarantees that a value or a confirmation it returns belongs to the request that was made: unit,
// function, address and count or value were compared, and nothing late from before can be taken for
// it. Never retries a write. Owned by one bus worker and called only from its thread; every call
// ends within the bus's time-outs. A transaction connects first if need be.
class RegisterBus {
  public:
    virtual ~RegisterBus() = default;
    // Registers, or bits as 0 and 1, in address order; exactly request.count of them.
    [[nodiscard]] virtual BusResult<std::vector<std::uint16_t>> read(
        const ReadRequest& request) = 0;
    [[nodiscard]] virtual core::WriteOutcome write(const WriteRequest& request) = 0;
    // Closes so that nothing already sent can still be delivered; the next transaction reconnects.
    virtual void abort() = 0;
    // Number of connections made so far; another number means the PLC may have restarted.
    [[nodiscard]] virtual std::uint64_t link() const = 0;
    // Waits out the pause that must lie between two transactions, so that the next one leaves at
    // once: called before a time limit is checked for the last time.
    virtual void settle() {}
    // Ends a wait at once and makes every later transaction fail without sending. For good; the one
    // call that any thread may make.
    virtual void stop() {}
};

}  // namespace liftwarden::ports
