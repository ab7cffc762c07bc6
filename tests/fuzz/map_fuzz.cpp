// The YAML file: loading ends with complete settings or with problems that name their place, never
// with both missing. The first byte chooses how the text is cut into main file and elevator file.
#include "drivers/mailbox/schema.hpp"
#include "src/adapters/config/json.hpp"
#include "src/adapters/config/load.hpp"
#include "src/adapters/config/summary.hpp"
#include "tests/fuzz/check.hpp"

#include <cstdint>
#include <string>

namespace {

using namespace liftwarden;
using fuzz::check;

void check_settings(const ports::Settings& settings) {
    for (const ports::ElevatorSettings& elevator : settings.elevators) {
        check(!elevator.core.id.empty(), "an elevator has a name");
        check(!elevator.core.floors.empty(), "and floors");
        check(elevator.core.scan > core::Duration{} && elevator.core.poll > core::Duration{},
              "and times that pass");
        check(elevator.core.stale_after > core::Duration{}, "and an age at which it is stale");
    }
    check(settings.queue.depth > 0, "a queue holds something");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    static const config::Drivers drivers{&mailbox::schema()};
    // NOLINTNEXTLINE: bytes are characters here
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    std::vector<config::SourceText> more;
    std::string main = text;
    if (data[0] % 4 == 3) {
        const std::size_t cut = text.find("\n---\n");
        main = text.substr(0, cut);
        more.push_back({"el.yaml", cut == std::string::npos ? text : text.substr(cut + 5)});
    }
    const config::Loaded loaded = config::load_text("main.yaml", main, drivers, more);
    for (const config::Problem& problem : loaded.problems) {
        check(problem.text.find('\n') == std::string::npos, "a problem is one line");
        check(text.find("internal") != std::string::npos ||
                  problem.text.find("internal") == std::string::npos,
              "and not ours");
    }
    if (loaded.ok()) {
        check_settings(loaded.settings);
        (void)config::to_text(config::summarise(loaded.settings, drivers));
    }
    (void)config::to_json(loaded.problems);
    return 0;
}
