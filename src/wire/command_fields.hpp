// Reads the fields of a command one by one and keeps the first complaint. Used by command_text.cpp.
#pragma once

#include "src/wire/json_value.hpp"
#include "src/wire/words.hpp"

#include <liftwarden/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace liftwarden::wire {

enum class Presence { optional, required };

// Names the parties, locks and messages of a dispatch node may have at most this many bytes.
inline constexpr std::size_t name_bytes_max = 256;

// The sequence ID: text of [A-Za-z0-9._:-]{1,64}, or an integer 0..2^63-1 as its decimal text.
// nullopt if the value is neither.
[[nodiscard]] std::optional<core::Seq> seq_of(const JsonValue& value);

// The text of a name: 1..name_bytes_max bytes without control characters, else nullopt.
[[nodiscard]] std::optional<std::string> name_of(const JsonValue& value);

// One object's fields; of an optional one null is the same as absent. Each getter returns nullopt
// for an absent field and for one it complains about; after the first complaint the later ones keep
// silent, so the order of the calls is the order of the checks. Lives within one parse.
class CommandFields {
  public:
    // `path` precedes the names in complaints, such as "lock.".
    explicit CommandFields(const JsonValue& object, std::string path = {})
        : object_(object), path_(std::move(path)) {}

    std::optional<core::Seq> seq(std::string_view name);
    std::optional<std::string> string(std::string_view name, Presence presence);
    std::optional<std::string> name(std::string_view name);
    std::optional<bool> boolean(std::string_view name);
    std::optional<std::int64_t> integer(std::string_view name,
                                        Presence presence,
                                        std::int64_t least,
                                        std::int64_t most);
    const JsonValue* object(std::string_view name);

    // One of the words of an enumeration of two.
    template <class Enum>
    std::optional<Enum> word(std::string_view field, Presence presence) {
        const auto text = string(field, presence);
        if (!text) {
            return std::nullopt;
        }
        const auto value = from_word<Enum>(*text);
        if (!value) {
            const auto& all = enumerators<Enum>;
            static_assert(all.size() == 2);
            complain(field,
                     std::string("must be ") + to_word(all[0]) + " or " + to_word(all[1]),
                     *object_.find(field));
        }
        return value;
    }

    // The first complaint wins; a getter's is bad_field.
    void refuse(core::Reason reason, std::string detail);
    // "<field> <rule>, not <value>".
    void complain(std::string_view field, const std::string& rule, const JsonValue& value);
    // "<field> <rule>".
    void complain(std::string_view field, const std::string& rule);

    [[nodiscard]] bool failed() const { return reason_ != core::Reason::none; }
    [[nodiscard]] core::Reason reason() const { return reason_; }
    [[nodiscard]] const std::string& detail() const { return detail_; }

  private:
    const JsonValue* find(std::string_view name, Presence presence);

    const JsonValue& object_;
    std::string path_;
    core::Reason reason_ = core::Reason::none;
    std::string detail_;
};

}  // namespace liftwarden::wire
