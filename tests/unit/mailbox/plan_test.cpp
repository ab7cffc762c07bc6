#include "drivers/mailbox/plan.hpp"

#include "drivers/mailbox/schema.hpp"
#include "tests/unit/mailbox/map_fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace liftwarden;
using mailbox::plan_reads;
using ports::ReadRequest;
using ports::RegisterTable;
using Reads = std::vector<ReadRequest>;

TEST_CASE("mailbox plan: neighbours go together, acknowledgement first", "[mailbox][plan]") {
    const auto plan = plan_reads(test::full_map());
    CHECK(plan.full == Reads{{3, RegisterTable::holding, 110, 2},
                             {3, RegisterTable::holding, 120, 1},
                             {3, RegisterTable::input, 0, 7},
                             {3, RegisterTable::discrete, 0, 2}});
    CHECK(plan.acknowledgement == Reads{{3, RegisterTable::holding, 110, 2}});
}

TEST_CASE("mailbox plan: state and echo are one read where they touch", "[mailbox][plan]") {
    auto map = test::full_map();
    map.registers = {{"ack", {}}, {"floor", {}}, {"direction", {}}, {"door", {}}};
    map.registers["ack"].address = 10;
    map.registers["floor"].address = 12;
    map.registers["direction"].address = 13;
    map.registers["door"].address = 9;
    const auto plan = plan_reads(map);
    CHECK(plan.full == Reads{{3, RegisterTable::holding, 9, 5}});
    CHECK(plan.acknowledgement == Reads{{3, RegisterTable::holding, 10, 2}});
}

TEST_CASE("mailbox plan: it never reads across a hole", "[mailbox][plan]") {
    auto map = test::full_map();
    map.registers["mode"].address = 8;  // 3 is now named by nobody, and 7 neither
    const auto plan = plan_reads(map);
    CHECK(std::count_if(plan.full.begin(), plan.full.end(), [](const ReadRequest& read) {
              return read.table == RegisterTable::input;
          }) == 3);
}

TEST_CASE("mailbox plan: fields of one register are read once", "[mailbox][plan]") {
    auto map = test::full_map();
    for (const char* key : {"direction", "door", "mode", "door_rear", "fault", "target"}) {
        map.registers[key].address = 0;
    }
    const auto plan = plan_reads(map);
    CHECK(plan.full.at(2) == ReadRequest{3, RegisterTable::input, 0, 1});
}

TEST_CASE("mailbox plan: a heartbeat beside the echo comes with it", "[mailbox][plan]") {
    auto map = test::full_map();
    map.registers["heartbeat"].address = 112;
    const auto plan = plan_reads(map);
    CHECK(plan.acknowledgement == Reads{{3, RegisterTable::holding, 110, 3}});
    CHECK(plan.full.front() == ReadRequest{3, RegisterTable::holding, 110, 3});
    CHECK(mailbox::schema().plan(map).ack_registers == 3);
}
