// Figures, not verdicts: component_tests "[.measure]"
#include "tests/component/sqlite/journal_fixture.hpp"
#include "tests/support/faulty_vfs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace liftwarden::test {
namespace {

using core::Status;
using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
    return std::chrono::duration<double>(steady_clock::now() - start).count();
}

std::string seq(const char* prefix, int n) {
    return std::string(prefix) + std::to_string(n);
}

std::string result_text() {
    return std::string(320, 'r');
}

TEST_CASE("measure: commits a second, one after the other and grouped", "[.measure]") {
    JournalFixture f;
    f.open();
    std::vector<double> each;
    const auto start = steady_clock::now();
    for (int n = 0; n < 500; ++n) {
        const auto before = steady_clock::now();
        f.commit({command_row("EL1", seq("s", n))},
                 {message("lift/s/EL1/result/n", result_text())});
        each.push_back(seconds_since(before) * 1e3);
    }
    const double single = 500 / seconds_since(start);
    std::sort(each.begin(), each.end());
    std::printf("one after the other: %.0f commits/s, p50 %.2f ms, p99 %.2f ms\n",
                single,
                each[250],
                each[495]);

    const auto grouped = steady_clock::now();
    const auto before = f.journal->status().commits;
    for (int n = 0; n < 10000; ++n) {
        f.enqueue({command_row("EL1", seq("g", n))},
                  {message("lift/s/EL1/result/n", result_text())});
    }
    REQUIRE(f.told->wait([&] { return f.told->has_committed(f.last_ticket); }, 60s));
    std::printf("all at once: %.0f batches/s in %llu commits\n",
                10000 / seconds_since(grouped),
                static_cast<unsigned long long>(f.journal->status().commits - before));

    // 20 elevators, each waiting for its own commit: what a gateway under load does.
    const auto together = steady_clock::now();
    const auto commits = f.journal->status().commits;
    for (int round = 0; round < 200; ++round) {
        for (int n = 0; n < 20; ++n) {
            f.enqueue({command_row(seq("EL", n), seq("t", round))},
                      {message("lift/s/EL1/result/n", result_text())});
        }
        REQUIRE(f.wait_committed(f.last_ticket));
    }
    std::printf("20 at a time: %.0f batches/s in %llu commits\n",
                4000 / seconds_since(together),
                static_cast<unsigned long long>(f.journal->status().commits - commits));
}

TEST_CASE("measure: bytes and syncs of a command's life", "[.measure]") {
    FaultyVfs disk;
    JournalFixture f;
    f.hooks.vfs = disk.name();
    f.open();
    const auto bytes = disk.bytes_written();
    const int syncs = disk.syncs();
    constexpr int lives = 300;
    for (int n = 0; n < lives; ++n) {
        for (const Status status : {Status::accepted, Status::sent, Status::acked}) {
            f.commit({command_row("EL1", seq("", n), status), elevator_row("EL1", 1)},
                     {message("lift/s/EL1/result/n", result_text())});
        }
        for (int i = 0; i < 3; ++i) {
            f.journal->published(ports::OutboxId(static_cast<std::uint64_t>(n * 3 + i + 1)));
        }
    }
    std::printf("a command's life (3 commits): %.1f KiB written, %.2f syncs\n",
                static_cast<double>(disk.bytes_written() - bytes) / 1024 / lives,
                static_cast<double>(disk.syncs() - syncs) / lives);
}

TEST_CASE("measure: start-up with finished commands", "[.measure]") {
    for (const int rows : {1000, 100'000, 500'000}) {
        JournalFixture f;
        f.settings.max_bytes = 2ULL << 30;
        f.open();
        for (int n = 0; n < rows; ++n) {
            f.enqueue(
                {command_row("EL1", seq("node-a:boot:", n), Status::acked)}, {}, n % 100 == 0);
            if (n % 20000 == 0) {
                REQUIRE(f.told->wait([&] { return f.told->has_committed(f.last_ticket); }, 60s));
            }
        }
        f.commit({command_row("EL1", "open")});
        f.close();
        f.told = std::make_unique<Told>();  // freeing a long list would be measured too
        const auto start = steady_clock::now();
        f.open();
        const double opened = seconds_since(start) * 1e3;
        CHECK(f.opened.recovered.open_commands.size() == 1);
        const auto first = steady_clock::now();
        f.commit({command_row("EL1", "first")});
        const double committed = seconds_since(first) * 1e3;
        const auto looking = steady_clock::now();
        for (int n = 0; n < 200; ++n) {
            CHECK(f.row("EL1", seq("node-a:boot:", n * (rows / 200))));
        }
        std::printf("%d rows (%.0f MB): open %.1f ms, first commit %.1f ms, look-up %.3f ms\n",
                    rows,
                    static_cast<double>(std::filesystem::file_size(f.settings.path)) / 1e6,
                    opened,
                    committed,
                    seconds_since(looking) * 1e3 / 200);
    }
}

}  // namespace
}  // namespace liftwarden::test
