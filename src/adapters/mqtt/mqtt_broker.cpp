#include "src/adapters/mqtt/mqtt_broker.hpp"

#include "src/adapters/mqtt/supervisor.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace liftwarden::mqtt {

// Lives as long as the thread, even when the thread is left behind.
struct MqttBroker::Finished {
    std::mutex mutex;
    std::condition_variable changed;
    bool value = false;
};

MqttBroker::MqttBroker(MqttOptions options, ports::Inbox& inbox, const ports::Clock& clock)
    : supervisor_(std::make_shared<Supervisor>(std::move(options), inbox, clock)),
      finished_(std::make_shared<Finished>()) {}

MqttBroker::~MqttBroker() {
    stop();
}

void MqttBroker::start() {
    clean_ = false;
    thread_ = std::thread([supervisor = supervisor_, finished = finished_] {
        supervisor->run();
        const std::lock_guard lock(finished->mutex);
        finished->value = true;
        finished->changed.notify_all();
    });
}

bool MqttBroker::stop(std::optional<ports::OutboundMessage> farewell,
                      std::chrono::milliseconds limit) {
    if (!thread_.joinable()) {
        return clean_;
    }
    supervisor_->stop(std::move(farewell));
    std::unique_lock lock(finished_->mutex);
    const bool finished =
        finished_->changed.wait_for(lock, limit, [this] { return finished_->value; });
    lock.unlock();
    if (finished) {
        thread_.join();
    } else {
        thread_.detach();
    }
    clean_ = supervisor_->shut_intake(std::chrono::milliseconds{100}) && finished;
    return clean_;
}

void MqttBroker::publish(ports::OutboundMessage message, std::function<void(bool)> done) {
    supervisor_->publish(std::move(message), std::move(done));
}

ports::BrokerStatus MqttBroker::status() const {
    return supervisor_->status();
}

std::uint64_t MqttBroker::heartbeats() const {
    return supervisor_->heartbeats();
}

}  // namespace liftwarden::mqtt
