#include "tests/component/sqlite/journal_fixture.hpp"

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace liftwarden::test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using core::ErrorClass;
using core::Status;

std::vector<std::string> set_aside_files(const JournalFixture& f) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(f.dir.path())) {
        const std::string name = entry.path().filename().string();
        if (name.find(".corrupt-") != std::string::npos) {
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

// Overwrites bytes in the middle of every page but the first, where the rows are.
void damage_pages(const std::string& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::streamoff>(fs::file_size(path));
    const std::string noise(64, '\xa5');
    for (std::streamoff page = 4096; page < size; page += 4096) {
        file.seekp(page);
        file.write(noise.data(), static_cast<std::streamsize>(noise.size()));
    }
}

TEST_CASE("opening: a missing directory is named", "[sqlite][opening]") {
    JournalFixture f;
    f.settings.path = f.dir.file("nowhere/journal.db");
    const core::Error error = f.open_error();
    CHECK(error.kind == ErrorClass::permanent);
    CHECK_THAT(error.text, Contains(f.dir.file("nowhere")) && Contains("does not exist"));
}

TEST_CASE("opening: a directory that is a file, and a journal that is a directory",
          "[sqlite][opening]") {
    JournalFixture f;
    write_file(f.dir.file("file"), "x");
    f.settings.path = f.dir.file("file/journal.db");
    CHECK(f.open_error().kind == ErrorClass::permanent);
    fs::create_directory(f.dir.file("folder"));
    f.settings.path = f.dir.file("folder");
    CHECK_THAT(f.open_error().text, Contains("not a regular file"));
}

TEST_CASE("opening: another process that holds the journal is named", "[sqlite][opening]") {
    JournalFixture f;
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
        f.open();
        const ssize_t ignored = write(ready[1], "x", 1);
        (void)ignored;
        pause();
        _exit(0);
    }
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    const core::Error error = f.open_error();
    const auto log = sqlite::read_log(f.settings.path, {});
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK(error.kind == ErrorClass::transient);
    CHECK_THAT(error.text, Contains("held by process " + std::to_string(child)));
    REQUIRE_FALSE(log.has_value());
    CHECK_THAT(log.error().text, Contains("held by process " + std::to_string(child)));
    f.open();  // and it is free again
}

TEST_CASE("opening: a journal of a newer version is refused and left alone", "[sqlite][opening]") {
    JournalFixture f;
    f.open();
    f.commit({command_row("EL1", "1")});
    f.close();
    run_sql(f.settings.path, "PRAGMA user_version=99");
    const core::Error error = f.open_error();
    CHECK(error.kind == ErrorClass::permanent);
    CHECK_THAT(error.text, Contains("format 99") && Contains("newer"));
    CHECK(set_aside_files(f).empty());
    run_sql(f.settings.path, "PRAGMA user_version=1");
    f.open();
    CHECK(f.opened.recovered.open_commands.size() == 1);
}

TEST_CASE("opening: a database of something else is refused and left alone", "[sqlite][opening]") {
    JournalFixture f;
    const auto* mode = GENERATE("DELETE", "WAL");
    CAPTURE(mode);
    run_sql(f.settings.path,
            std::string("PRAGMA journal_mode=") + mode +
                "; PRAGMA application_id=305419896; CREATE TABLE other(x)");
    const std::string before = read_file(f.settings.path);
    const auto files = [&] {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(f.dir.path())) {
            names.insert(entry.path().filename());
        }
        return names;
    };
    const auto names = files();
    const core::Error error = f.open_error();
    CHECK(error.kind == ErrorClass::permanent);
    CHECK_THAT(error.text, Contains("not a liftwarden journal"));
    const auto log = sqlite::read_log(f.settings.path, {});
    REQUIRE_FALSE(log.has_value());
    CHECK_THAT(log.error().text, Contains("not a liftwarden journal"));
    CHECK(read_file(f.settings.path) == before);
    CHECK(files() == names);
}

TEST_CASE("opening: others may not read the journal", "[sqlite][opening]") {
    JournalFixture f;
    f.open();
    f.commit({command_row("EL1", "1")});
    f.journal->save_contact(core::TimePoint{1ms});
    for (const auto& entry : fs::directory_iterator(f.dir.path())) {
        CAPTURE(entry.path());
        CHECK((entry.status().permissions() & fs::perms::others_all) == fs::perms::none);
    }
}

TEST_CASE("opening: a file that is no database is set aside and the loss remembered",
          "[sqlite][opening]") {
    JournalFixture f;
    write_file(f.settings.path, std::string(20000, 'x'));
    f.open();
    CHECK(f.opened.recovered.ledger_lost);
    REQUIRE(f.opened.notes.size() == 1);
    CHECK_THAT(f.opened.notes[0], Contains("set aside as"));
    REQUIRE(set_aside_files(f).size() == 1);
    CHECK(read_file(f.dir.path() / set_aside_files(f)[0]) == std::string(20000, 'x'));
}

TEST_CASE("opening: damaged pages are found, database and log set aside together",
          "[sqlite][opening]") {
    JournalFixture f;
    f.open();
    for (int i = 0; i < 50; ++i) {
        f.commit({command_row("EL1", std::to_string(i), Status::acked), elevator_row("EL1", 1)});
    }
    f.close();
    damage_pages(f.settings.path);
    f.open();
    CHECK(f.opened.recovered.ledger_lost);
    CHECK(f.opened.recovered.elevators.empty());
    CHECK_FALSE(f.row("EL1", "1"));
    const auto names = set_aside_files(f);
    REQUIRE(names.size() == 2);
    CHECK(names[1] == names[0] + "-wal");
}

TEST_CASE("opening: a second damaged file gets a name of its own", "[sqlite][opening]") {
    JournalFixture f;
    for (const char* content : {"first", "second", "third"}) {
        f.close();
        fs::remove(f.settings.path + "-wal");
        write_file(f.settings.path, std::string(5000, content[0]));
        f.open();
        CHECK(f.opened.recovered.ledger_lost);
    }
    CHECK(set_aside_files(f).size() == 3);
}

TEST_CASE("opening: the loss is remembered until each elevator's row was written",
          "[sqlite][opening]") {
    JournalFixture f;
    write_file(f.settings.path, std::string(5000, 'x'));
    f.open();
    REQUIRE(f.opened.recovered.ledger_lost);
    f.open();
    CHECK(f.opened.recovered.ledger_lost);
    f.commit({elevator_row("EL1")});
    f.open();
    CHECK(f.opened.recovered.ledger_lost);
    f.commit({elevator_row("EL2")});
    f.open();
    CHECK_FALSE(f.opened.recovered.ledger_lost);
}

TEST_CASE("opening: a crash between setting aside and the new file does not hide the loss",
          "[sqlite][opening]") {
    JournalFixture f;
    SECTION("nothing but the set-aside file is left") {
        write_file(f.settings.path + ".corrupt-20260502T143201Z", "x");
    }
    SECTION("the database was renamed, its log not yet") {
        f.open();
        f.commit({command_row("EL1", "1")});
        f.journal->commit({core::Ticket(99), {command_row("EL1", "2")}, {}, true});
        f.close();
        write_file(f.settings.path + "-wal", "frames");
        fs::remove(f.settings.path);
    }
    SECTION("the database was cut to nothing") {
        f.open();
        f.commit({command_row("EL1", "1")});
        f.close();
        write_file(f.settings.path + "-wal", "frames");
        fs::resize_file(f.settings.path, 0);
    }
    f.open();
    CHECK(f.opened.recovered.ledger_lost);
}

TEST_CASE("opening: a row that start-up needs and cannot decode counts as damage",
          "[sqlite][opening]") {
    JournalFixture f;
    f.open();
    f.commit({command_row("EL1", "1"), elevator_row("EL1")});
    f.close();
    SECTION("command") {
        run_sql(f.settings.path, "UPDATE command SET body = '{'");
    }
    SECTION("a written command that does not know its wire_seq") {
        run_sql(f.settings.path,
                "UPDATE command SET status = 'sent',"
                " body = replace(body, '\"accepted\"', '\"sent\"')");
    }
    SECTION("elevator") {
        run_sql(f.settings.path, "UPDATE elevator SET body = '[]'");
    }
    f.open();
    CHECK(f.opened.recovered.ledger_lost);
}

TEST_CASE("opening: damage met while running ends the journal and is found at the next start",
          "[sqlite][opening]") {
    JournalFixture f;
    std::atomic<int> deaths{0};
    f.hooks.fatal = [&](const std::string&) { ++deaths; };
    f.open();
    f.commit({command_row("EL1", "1", Status::acked)});  // finished: start-up does not look at it
    f.close();
    run_sql(f.settings.path, "UPDATE command SET body = '{'");
    f.open();
    CHECK_FALSE(f.opened.recovered.ledger_lost);
    f.look_up("EL1", "1", 5);
    REQUIRE(f.told->wait([&] { return deaths == 1; }));
    f.look_up("EL1", "2", 6);
    f.enqueue({command_row("EL1", "2")});
    f.close();
    CHECK(f.told->events().empty());
    f.open();
    CHECK(f.opened.recovered.ledger_lost);
    f.commit({elevator_row("EL1"), elevator_row("EL2")});
    f.open();
    CHECK_FALSE(f.opened.recovered.ledger_lost);
}

TEST_CASE("opening: a suspect file that turns out sound is kept", "[sqlite][opening]") {
    JournalFixture f;
    f.open();
    f.commit({command_row("EL1", "1"), command_row("EL1", "2", Status::acked)});
    f.close();
    write_file(f.settings.path + ".suspect", "");
    f.open();
    CHECK_FALSE(f.opened.recovered.ledger_lost);
    CHECK(f.opened.recovered.open_commands.size() == 1);
    CHECK_FALSE(fs::exists(f.settings.path + ".suspect"));
}

}  // namespace
}  // namespace liftwarden::test
