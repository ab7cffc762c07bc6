#include "src/wire/journal_text.hpp"

#include "src/wire/codec.hpp"
#include "src/wire/journal_fields.hpp"
#include "src/wire/json_value.hpp"
#include "src/wire/json_writer.hpp"

namespace liftwarden::wire {
namespace {

// Far above any row: a command has at most 8 KiB, and an elevator watches a handful of them.
constexpr std::size_t row_bytes_max = std::size_t{4} << 20U;
constexpr std::size_t row_depth_max = 16;

template <class Row>
std::string encode_row(const Row& row) {
    JsonWriter out(1024);
    Encoder(out).write(row);
    return out.take();
}

template <class Row>
core::Result<Row> decode_row(const char* what, std::string_view text) {
    const auto tree = parse_json(text, {row_bytes_max, row_depth_max});
    if (!tree) {
        return core::Error{core::ErrorClass::corrupt,
                           std::string(what) + " cannot be read: " + tree.error().text};
    }
    std::optional<core::Error> error;
    Row row;
    Decoder io(*tree, "", error);
    fields(io, row);
    if (error) {
        return core::Error{core::ErrorClass::corrupt, std::string(what) + ": " + error->text};
    }
    return row;
}

}  // namespace

std::string encode(const core::CommandRow& row) {
    return encode_row(row);
}

std::string encode(const core::ElevatorRow& row) {
    return encode_row(row);
}

std::string encode(const core::Alarm& alarm) {
    return encode_row(alarm);
}

core::Result<core::CommandRow> decode_command_row(std::string_view text) {
    return decode_row<core::CommandRow>("a command's row", text);
}

core::Result<core::ElevatorRow> decode_elevator_row(std::string_view text) {
    return decode_row<core::ElevatorRow>("an elevator's row", text);
}

core::Result<core::Alarm> decode_alarm(std::string_view text) {
    return decode_row<core::Alarm>("an alarm's row", text);
}

}  // namespace liftwarden::wire
