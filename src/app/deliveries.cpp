#include "src/app/deliveries.hpp"

namespace liftwarden::app {

core::DeliveryId Deliveries::open() {
    const std::lock_guard lock(mutex_);
    const core::DeliveryId delivery{++last_};
    open_.insert(delivery);
    return delivery;
}

void Deliveries::settle(core::DeliveryId delivery) {
    {
        const std::lock_guard lock(mutex_);
        open_.erase(delivery);
    }
    settled_.notify_all();
}

bool Deliveries::wait(core::DeliveryId delivery, core::Duration limit) {
    std::unique_lock lock(mutex_);
    const bool in_time = settled_.wait_for(lock, limit, [&] { return open_.count(delivery) == 0; });
    open_.erase(delivery);
    return in_time;
}

}  // namespace liftwarden::app
