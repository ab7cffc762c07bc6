// The few SQLite calls this adapter needs, with owners and one kind of error.
#pragma once

#include "src/adapters/sqlite/spare_vfs.hpp"

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace liftwarden::sqlite {

// What any failing SQLite call becomes. Thrown and caught inside this adapter only: while opening
// it turns into a core::Error, on the journal thread it ends the process.
struct SqlError {
    int code = SQLITE_ERROR;  // extended result code
    std::string text;

    [[nodiscard]] int primary() const { return code & 0xff; }
    // The file's content cannot be trusted, as against a device that does not answer.
    [[nodiscard]] bool is_corruption() const;
};

// One open database file. Not thread-safe: one thread at a time, and the object may be handed from
// the opening thread to the journal thread.
class Connection {
  public:
    // Throws SqlError. `vfs` empty: the default one. A busy file is retried for 2 s. `give_back`:
    // see SpareVfs; empty: nothing to give.
    Connection(const std::string& path,
               int flags,
               const std::string& vfs,
               SpareVfs::GiveBack give_back = {});
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] sqlite3* handle() const { return handle_; }
    // Fixed text only; values are bound in statements.
    void exec(const char* sql);
    // First column of the first row; throws SqlError when there is none.
    [[nodiscard]] std::int64_t integer(const char* sql);
    [[nodiscard]] std::string text(const char* sql);
    // Frames in the write-ahead log after the last commit.
    [[nodiscard]] int wal_frames() const { return wal_frames_; }
    // Copies the log into the database file. `truncate`: and empties the log.
    void checkpoint(bool truncate);
    [[noreturn]] void fail(int code, std::string_view doing) const;

  private:
    std::unique_ptr<SpareVfs> spare_;
    sqlite3* handle_ = nullptr;
    int wal_frames_ = 0;
};

// A statement prepared once for the life of its connection.
class Statement {
  public:
    Statement(Connection& connection, const char* sql);
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

  private:
    friend class Run;
    Connection& connection_;
    sqlite3_stmt* handle_ = nullptr;
};

// One execution of a statement. Resets it at the end, because a statement left stepping keeps a
// read snapshot that stops checkpoints. Parameters are bound in order. Bound text must outlive the
// Run.
class Run {
  public:
    explicit Run(Statement& statement);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    Run& bind(std::int64_t value);
    Run& bind(std::string_view text);
    Run& bind_blob(std::string_view bytes);
    Run& bind_null();

    // True: a row is there. Throws SqlError.
    bool step();
    // Steps a statement that returns no rows.
    void finish() {
        while (step()) {
        }
    }
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::string text(int column) const;  // also blobs
    [[nodiscard]] bool is_null(int column) const;

  private:
    Statement& statement_;
    int next_parameter_ = 1;
};

// A transaction that is rolled back unless committed.
class Transaction {
  public:
    explicit Transaction(Connection& connection);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

  private:
    Connection& connection_;
    bool open_ = true;
};

}  // namespace liftwarden::sqlite
