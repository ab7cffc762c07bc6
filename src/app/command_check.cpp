// `liftwarden check`
#include "src/adapters/config/json.hpp"
#include "src/adapters/config/load.hpp"
#include "src/adapters/config/summary.hpp"
#include "src/app/cli.hpp"
#include "src/app/drivers.hpp"
#include "src/app/exit_codes.hpp"
#include "src/app/terminal.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <iostream>

namespace liftwarden::app {
namespace {

boost::json::object describe(const std::string& file, const config::Loaded& loaded) {
    boost::json::object object{
        {"file", file}, {"ok", loaded.ok()}, {"problems", config::to_json(loaded.problems)}};
    object["summary"] = loaded.ok()
                            ? config::to_json(config::summarise(loaded.settings, driver_schemas()))
                            : boost::json::value(nullptr);
    return object;
}

}  // namespace

int check_command(const CheckArguments& arguments) {
    bool ok = true;
    bool first = true;
    boost::json::array all;
    for (const auto& file : arguments.files) {
        const auto loaded = config::load(file, driver_schemas());
        ok = ok && loaded.ok();
        if (arguments.json) {
            all.push_back(describe(file, loaded));
            continue;
        }
        print_problems(loaded.problems);
        if (loaded.ok()) {
            if (arguments.files.size() > 1) {
                std::cout << (first ? "" : "\n") << "== " << file << '\n';
                first = false;
            }
            std::cout << config::to_text(config::summarise(loaded.settings, driver_schemas()));
        }
    }
    if (arguments.json) {
        std::cout << boost::json::serialize(all) << '\n';
    }
    return ok ? exit_ok : exit_config;
}

}  // namespace liftwarden::app
