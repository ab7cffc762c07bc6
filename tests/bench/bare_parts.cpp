#include "tests/bench/bare_parts.hpp"

#include <modbus/modbus.h>
#include <mqtt/async_client.h>
#include <sqlite3.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace liftwarden::bench {
namespace {

using Clock = std::chrono::steady_clock;

double us_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

class Receiver final : public mqtt::callback {
  public:
    void message_arrived(mqtt::const_message_ptr /*message*/) override {
        const std::lock_guard lock{mutex_};
        at_ = Clock::now();
        arrived_ = true;
        changed_.notify_one();
    }
    Clock::time_point wait() {
        std::unique_lock lock{mutex_};
        if (!changed_.wait_for(lock, std::chrono::seconds{10}, [this] { return arrived_; })) {
            throw std::runtime_error("the broker did not deliver");
        }
        arrived_ = false;
        return at_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool arrived_ = false;
    Clock::time_point at_;
};

void execute(sqlite3* db, const char* sql) {
    if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw std::runtime_error(sqlite3_errmsg(db));
    }
}

}  // namespace

Samples publish_to_callback(std::uint16_t broker_port, std::size_t times) {
    const std::string url = "tcp://127.0.0.1:" + std::to_string(broker_port);
    Receiver receiver;
    mqtt::async_client subscriber{url, "bench-subscriber"};
    mqtt::async_client publisher{url, "bench-publisher"};
    subscriber.set_callback(receiver);
    subscriber.connect()->wait();
    publisher.connect()->wait();
    subscriber.subscribe("bench", 1)->wait();
    const std::string payload(120, 'x');
    Samples samples;
    for (std::size_t i = 0; i < times; ++i) {
        const auto start = Clock::now();
        publisher.publish("bench", payload, 1, false);
        samples.add(std::chrono::duration<double, std::micro>(receiver.wait() - start).count());
    }
    publisher.disconnect()->wait();
    subscriber.disconnect()->wait();
    return samples;
}

Samples two_commits(const std::string& folder, std::size_t times) {
    sqlite3* db = nullptr;
    if (sqlite3_open((folder + "/bare.db").c_str(), &db) != SQLITE_OK) {
        throw std::runtime_error("cannot open a database in " + folder);
    }
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> closer{db, sqlite3_close};
    execute(db, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    execute(db, "CREATE TABLE row(id INTEGER PRIMARY KEY, body TEXT)");
    const std::string insert = "INSERT INTO row(body) VALUES ('" + std::string(300, 'x') + "')";
    Samples samples;
    for (std::size_t i = 0; i < times; ++i) {
        const auto start = Clock::now();
        execute(db, insert.c_str());
        execute(db, insert.c_str());
        samples.add(us_since(start));
    }
    return samples;
}

ModbusParts modbus_transactions(std::uint16_t plc_port, std::size_t times) {
    const std::unique_ptr<modbus_t, void (*)(modbus_t*)> bus{modbus_new_tcp("127.0.0.1", plc_port),
                                                             modbus_free};
    if (modbus_connect(bus.get()) != 0) {
        throw std::runtime_error("cannot connect to the simulated PLC");
    }
    modbus_set_slave(bus.get(), 1);
    ModbusParts parts;
    std::array<std::uint16_t, 8> values{};
    for (std::size_t i = 0; i < times; ++i) {
        auto start = Clock::now();
        if (modbus_read_input_registers(bus.get(), 0, 5, values.data()) != 5) {
            throw std::runtime_error("read failed");
        }
        parts.read.add(us_since(start));
        // wire_seq 0 means no command.
        values.fill(0);
        start = Clock::now();
        if (modbus_write_registers(bus.get(), 100, 4, values.data()) != 4) {
            throw std::runtime_error("write failed");
        }
        parts.write.add(us_since(start));
    }
    modbus_close(bus.get());
    return parts;
}

}  // namespace liftwarden::bench
