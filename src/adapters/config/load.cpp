#include "src/adapters/config/load.hpp"

#include "src/adapters/config/checks.hpp"
#include "src/adapters/config/document.hpp"
#include "src/adapters/config/files.hpp"
#include "src/adapters/config/sections.hpp"

#include <fmt/format.h>

#include <deque>
#include <exception>
#include <functional>
#include <optional>

namespace liftwarden::config {
namespace {

// One file on its way from text to tree.
struct Source {
    std::uint32_t file = 0;
    std::string text;
};

void check_all(Report& report, Draft& draft) {
    const BusLoads loads = bus_loads(draft);
    set_derived_defaults(draft, loads);
    check_buses(report, draft, loads);
    check_overlaps(report, draft);
    check_times(report, draft, loads);
    check_elevators(report, draft);
}

// Parses every file even if the main one is broken, so that all syntax errors show in one run.
std::deque<Entry> parse_all(Report& report, const std::vector<Source>& sources) {
    std::deque<Entry> roots;
    for (const Source& source : sources) {
        if (std::optional<Node> root = parse_document(report, source.file, source.text)) {
            roots.push_back({"the file", root->place, std::move(*root)});
        } else if (roots.empty() && &source == &sources.front()) {
            roots.push_back({"the file", {source.file, 0, 0}, {}});
        }
    }
    return roots;
}

void interpret(Report& report,
               Draft& draft,
               const std::vector<Source>& sources,
               const Drivers& drivers,
               std::deque<Entry>& roots) {
    roots = parse_all(report, sources);
    const Entry& main = roots.front();
    if (main.place.line == 0) {
        return;  // its syntax has been reported; its content is unknown
    }
    draft.main = &main;
    read_main(report, draft, drivers, main);
    for (std::size_t i = 1; i < roots.size(); ++i) {
        read_elevator_file(report, draft, drivers, roots[i]);
    }
    if (main.value.kind == Node::Kind::mapping && main.value.find("elevators") == nullptr &&
        sources.size() == 1) {
        report.error(main.value.place,
                     "the configuration has no elevators: there is neither a key \"elevators\" nor "
                     "a file in elevators.d");
    }
    check_all(report, draft);
}

// Runs `work` so that nothing gets out. What is caught here is a fault of ours or of a driver, and
// still has to keep the configuration from being used.
Loaded guarded(const std::string& name, const std::function<void(Report&, Draft&)>& work) {
    Report report;
    Draft draft;
    const std::uint32_t main_file = report.add_file(name);
    try {
        work(report, draft);
    } catch (const std::exception& fault) {
        report.error({main_file, 0, 0},
                     fmt::format("internal fault while reading: {}", fault.what()));
    } catch (...) {
        report.error({main_file, 0, 0}, "internal fault while reading");
    }
    return {std::move(draft.settings), report.problems(), draft.main != nullptr};
}

}  // namespace

Loaded load(const std::string& path, const Drivers& drivers, NamedFiles named) {
    return guarded(path, [&](Report& report, Draft& draft) {
        const core::Result<std::string> main = read_file(path);
        if (!main) {
            report.error({0, 0, 0}, main.error().text);
            return;
        }
        std::vector<Source> sources = {{0, *main}};
        for (const std::string& name : elevator_files(report, 0, path)) {
            const std::uint32_t file = report.add_file(name);
            core::Result<std::string> text = read_file(name);
            if (text) {
                sources.push_back({file, std::move(*text)});
            } else {
                report.error({file, 0, 0}, text.error().text);
            }
        }
        std::deque<Entry> roots;
        interpret(report, draft, sources, drivers, roots);
        if (named == NamedFiles::look_at) {
            for (const FileUse& use : draft.files) {
                check_file(report, use);
            }
        }
    });
}

Loaded load_text(const std::string& name,
                 const std::string& text,
                 const Drivers& drivers,
                 const std::vector<SourceText>& elevator_files) {
    return guarded(name, [&](Report& report, Draft& draft) {
        std::vector<Source> sources = {{0, text}};
        for (const SourceText& file : elevator_files) {
            sources.push_back({report.add_file(file.name), file.text});
        }
        std::deque<Entry> roots;
        interpret(report, draft, sources, drivers, roots);
    });
}

}  // namespace liftwarden::config
