#include "src/adapters/sqlite/database.hpp"

#include <liftwarden/core/assert.hpp>

#include <utility>

namespace liftwarden::sqlite {
namespace {

constexpr int busy_timeout_ms = 2000;  // a dying predecessor may still hold the file

int size_of(std::string_view text) {
    LIFTWARDEN_ASSERT(text.size() < 0x7fffffffU);
    return static_cast<int>(text.size());
}

// sqlite3_bind_* take a null pointer for NULL, and an empty string_view may hold one.
const char* data_of(std::string_view text) {
    return text.data() == nullptr ? "" : text.data();
}

int remember_frames(void* frames, sqlite3*, const char*, int count) {
    *static_cast<int*>(frames) = count;
    return SQLITE_OK;
}

}  // namespace

bool SqlError::is_corruption() const {
    return primary() == SQLITE_CORRUPT || primary() == SQLITE_NOTADB ||
           code == SQLITE_IOERR_CORRUPTFS;
}

Connection::Connection(const std::string& path,
                       int flags,
                       const std::string& vfs,
                       SpareVfs::GiveBack give_back) {
    const char* name = vfs.empty() ? nullptr : vfs.c_str();
    if (give_back) {
        spare_ = std::make_unique<SpareVfs>(vfs, std::move(give_back));
        name = spare_->name().c_str();
    }
    const int code = sqlite3_open_v2(path.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, name);
    if (code != SQLITE_OK) {
        const std::string text = handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_);
        const int extended = handle_ == nullptr ? code : sqlite3_extended_errcode(handle_);
        sqlite3_close_v2(handle_);
        throw SqlError{extended, "cannot open " + path + ": " + text};
    }
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_timeout(handle_, busy_timeout_ms);
    // Damaged files are set aside as they are; an orderly end checkpoints by itself.
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    // Replaces the automatic checkpoint, which would run inside a commit that somebody waits for.
    sqlite3_wal_hook(handle_, &remember_frames, &wal_frames_);
}

Connection::~Connection() {
    sqlite3_close_v2(handle_);
}

void Connection::fail(int code, std::string_view doing) const {
    throw SqlError{code,
                   std::string(doing) + ": " + sqlite3_errmsg(handle_) + " (SQLite code " +
                       std::to_string(code) + ")"};
}

void Connection::exec(const char* sql) {
    const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        fail(code, sql);
    }
}

std::int64_t Connection::integer(const char* sql) {
    Statement statement(*this, sql);
    Run run(statement);
    if (!run.step()) {
        fail(SQLITE_ERROR, sql);
    }
    return run.integer(0);
}

std::string Connection::text(const char* sql) {
    Statement statement(*this, sql);
    Run run(statement);
    if (!run.step()) {
        fail(SQLITE_ERROR, sql);
    }
    return run.text(0);
}

void Connection::checkpoint(bool truncate) {
    const int mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
    const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, mode, nullptr, nullptr);
    if (code != SQLITE_OK) {
        fail(code, "checkpoint");
    }
    wal_frames_ = 0;
}

Statement::Statement(Connection& connection, const char* sql) : connection_(connection) {
    const int code = sqlite3_prepare_v3(
        connection.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
    if (code != SQLITE_OK) {
        connection.fail(code, sql);
    }
}

Statement::~Statement() {
    sqlite3_finalize(handle_);
}

Run::Run(Statement& statement) : statement_(statement) {
    LIFTWARDEN_ASSERT(sqlite3_stmt_busy(statement.handle_) == 0);
}

Run::~Run() {
    sqlite3_reset(statement_.handle_);
    sqlite3_clear_bindings(statement_.handle_);
}

Run& Run::bind(std::int64_t value) {
    LIFTWARDEN_ASSERT(sqlite3_bind_int64(statement_.handle_, next_parameter_++, value) ==
                      SQLITE_OK);
    return *this;
}

Run& Run::bind(std::string_view text) {
    LIFTWARDEN_ASSERT(
        sqlite3_bind_text(
            statement_.handle_, next_parameter_++, data_of(text), size_of(text), SQLITE_STATIC) ==
        SQLITE_OK);
    return *this;
}

Run& Run::bind_blob(std::string_view bytes) {
    LIFTWARDEN_ASSERT(
        sqlite3_bind_blob(
            statement_.handle_, next_parameter_++, data_of(bytes), size_of(bytes), SQLITE_STATIC) ==
        SQLITE_OK);
    return *this;
}

Run& Run::bind_null() {
    LIFTWARDEN_ASSERT(sqlite3_bind_null(statement_.handle_, next_parameter_++) == SQLITE_OK);
    return *this;
}

bool Run::step() {
    const int code = sqlite3_step(statement_.handle_);
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code != SQLITE_DONE) {
        statement_.connection_.fail(code, sqlite3_sql(statement_.handle_));
    }
    return false;
}

std::int64_t Run::integer(int column) const {
    return sqlite3_column_int64(statement_.handle_, column);
}

std::string Run::text(int column) const {
    const void* bytes = sqlite3_column_blob(statement_.handle_, column);
    const int size = sqlite3_column_bytes(statement_.handle_, column);
    return bytes == nullptr
               ? std::string()
               : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

bool Run::is_null(int column) const {
    return sqlite3_column_type(statement_.handle_, column) == SQLITE_NULL;
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
    connection_.exec("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
    if (open_) {
        sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void Transaction::commit() {
    connection_.exec("COMMIT");
    open_ = false;
}

}  // namespace liftwarden::sqlite
