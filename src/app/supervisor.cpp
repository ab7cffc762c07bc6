#include "src/app/supervisor.hpp"

#include <utility>

namespace liftwarden::app {

void Supervisor::watch(std::string name, Heartbeats heartbeats, core::Duration limit) {
    watched_.push_back({std::move(name), std::move(heartbeats), limit, 0, {}, false});
}

std::vector<std::string> Supervisor::stalled(core::TimePoint now) {
    std::vector<std::string> names;
    for (Watched& watched : watched_) {
        const auto beats = watched.heartbeats();
        if (!watched.seen || beats != watched.last) {
            watched.seen = true;
            watched.last = beats;
            watched.changed_at = now;
        } else if (now - watched.changed_at >= watched.limit) {
            names.push_back(watched.name);
        }
    }
    return names;
}

}  // namespace liftwarden::app
