// `liftwarden log` with the daemon down.
#include "src/adapters/sqlite/log_scan.hpp"
#include "src/adapters/sqlite/opening.hpp"
#include "src/adapters/sqlite/schema.hpp"

#include <utility>

namespace liftwarden::sqlite {

core::Result<LogEntries> read_log(const std::string& path, const LogFilter& filter) {
    const JournalFiles files(path);
    if (files.database_bytes() == 0) {
        return core::Error{core::ErrorClass::permanent, "there is no journal at " + path};
    }
    if (auto error = foreign(files)) {
        return *error;
    }
    try {
        Connection connection(path, SQLITE_OPEN_READWRITE, "");
        configure(connection);
        const auto identity = identify(connection, path);
        if (!identity) {
            return identity.error();
        }
        if (*identity == Identity::empty) {
            return LogEntries{};
        }
        LogScan scan(connection, filter);
        while (!scan.slice(std::chrono::steady_clock::time_point::max())) {
        }
        return scan.take();
    } catch (const SqlError& error) {
        return to_error(error, files);
    }
}

}  // namespace liftwarden::sqlite
