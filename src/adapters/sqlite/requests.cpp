#include "src/adapters/sqlite/requests.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace liftwarden::sqlite {

RequestQueue::Pushed RequestQueue::push(Request request) {
    {
        const std::lock_guard lock(mutex_);
        if (closed_) {
            return Pushed::closed;
        }
        if (requests_.size() >= most_requests) {
            return Pushed::full;
        }
        requests_.push_back(std::move(request));
    }
    arrived_.notify_one();
    return Pushed::yes;
}

std::vector<Request> RequestQueue::take(std::size_t limit,
                                        std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    arrived_.wait_until(lock, deadline, [this] { return closed_ || !requests_.empty(); });
    const auto end =
        requests_.begin() + static_cast<std::ptrdiff_t>(std::min(limit, requests_.size()));
    std::vector<Request> taken(std::make_move_iterator(requests_.begin()),
                               std::make_move_iterator(end));
    requests_.erase(requests_.begin(), end);
    return taken;
}

void RequestQueue::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    arrived_.notify_one();
}

bool RequestQueue::drained() const {
    const std::lock_guard lock(mutex_);
    return closed_ && requests_.empty();
}

}  // namespace liftwarden::sqlite
