#include "src/adapters/config/values.hpp"

#include "src/adapters/config/scalars.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {
namespace {

// `meant` ends the sentence.
void refuse(Report& report,
            const Entry& entry,
            std::string_view wanted,
            const std::string& meant = {}) {
    report.error(
        entry.value.place,
        fmt::format("{} must be {}, not {}{}", entry.key, wanted, quoted(entry.value.text), meant));
}

// Text that stands without quotes, as numbers and booleans do.
std::optional<std::string> plain_text(Report& report, const Entry& entry, std::string_view wanted) {
    std::optional<std::string> given = scalar_text(report, entry, wanted);
    if (given && entry.value.quoted) {
        report.error(entry.value.place,
                     fmt::format("{} must be {}, not the text {}; remove the quotes",
                                 entry.key,
                                 wanted,
                                 quoted(*given)));
        return std::nullopt;
    }
    return given;
}

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
}

bool is_name_character(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == ':' || c == '-';
}

}  // namespace

std::optional<std::string> scalar_text(Report& report,
                                       const Entry& entry,
                                       std::string_view wanted) {
    if (!expect(report, entry, Node::Kind::scalar, wanted)) {
        return std::nullopt;
    }
    return entry.value.text;
}

std::optional<std::int64_t> integer_in(Report& report,
                                       const Entry& entry,
                                       std::int64_t least,
                                       std::int64_t most) {
    const std::string range = fmt::format("a whole number from {} to {}", least, most);
    const std::optional<std::string> given = plain_text(report, entry, range);
    if (!given) {
        return std::nullopt;
    }
    const core::Result<std::int64_t> value = parse_integer(*given);
    if (!value) {
        refuse(report, entry, range + " (decimal, no leading zeros)");
        return std::nullopt;
    }
    if (*value < least || *value > most) {
        refuse(report, entry, range);
        return std::nullopt;
    }
    return *value;
}

Parse boolean(bool& target) {
    return [&target](Report& report, const Entry& entry) {
        const std::optional<std::string> given = plain_text(report, entry, "true or false");
        if (!given) {
            return;
        }
        if (const core::Result<bool> value = parse_boolean(*given)) {
            target = *value;
        } else {
            refuse(report, entry, value.error().text);
        }
    };
}

Parse duration(core::Duration& target, core::Duration least, core::Duration most) {
    return [&target, least, most](Report& report, const Entry& entry) {
        const std::string range =
            fmt::format("a duration from {} to {}", to_text(least), to_text(most));
        const std::optional<std::string> given = scalar_text(report, entry, range);
        if (!given) {
            return;
        }
        const core::Result<core::Duration> value = parse_duration(*given);
        if (!value) {
            refuse(report, entry, value.error().text, meant_duration(*given));
        } else if (*value < least || *value > most) {
            refuse(report, entry, range);
        } else {
            target = *value;
        }
    };
}

Parse share(double& target) {
    return [&target](Report& report, const Entry& entry) {
        const std::optional<std::string> given =
            scalar_text(report, entry, "a share such as 1/2 or 0.5");
        if (!given) {
            return;
        }
        if (const core::Result<double> value = parse_share(*given)) {
            target = *value;
        } else {
            refuse(report, entry, value.error().text, meant_share(*given));
        }
    };
}

Parse size(std::uint64_t& target, std::uint64_t least, std::uint64_t most) {
    return [&target, least, most](Report& report, const Entry& entry) {
        const std::string range =
            fmt::format("a size from {} to {}", size_text(least), size_text(most));
        const std::optional<std::string> given = scalar_text(report, entry, range);
        if (!given) {
            return;
        }
        const core::Result<std::uint64_t> value = parse_size(*given);
        if (!value) {
            refuse(report, entry, value.error().text, meant_size(*given));
        } else if (*value < least || *value > most) {
            refuse(report, entry, range);
        } else {
            target = *value;
        }
    };
}

Parse text(std::function<void(std::string)> store) {
    return [store = std::move(store)](Report& report, const Entry& entry) {
        const std::optional<std::string> given = scalar_text(report, entry, "text");
        if (!given) {
            return;
        }
        if (given->empty() || given->size() > 256 || has_control(*given)) {
            refuse(report, entry, "text of 1 to 256 bytes without control characters");
            return;
        }
        store(*given);
    };
}

Parse path(std::function<void(std::string)> store, std::size_t longest) {
    return [store = std::move(store), longest](Report& report, const Entry& entry) {
        const std::optional<std::string> given = scalar_text(report, entry, "an absolute path");
        if (!given) {
            return;
        }
        if (given->empty() || given->front() != '/' || has_control(*given)) {
            refuse(report, entry, "an absolute path");
        } else if (given->size() > longest) {
            refuse(report, entry, fmt::format("a path of at most {} bytes", longest));
        } else {
            store(*given);
        }
    };
}

std::optional<std::string> fault_of_name(std::string_view name) {
    if (!name.empty() && name.size() <= 64 &&
        std::all_of(name.begin(), name.end(), is_name_character)) {
        return std::nullopt;
    }
    return "must be 1 to 64 characters out of A-Z a-z 0-9 . _ : -";
}

Parse name(std::function<void(std::string)> store) {
    return [store = std::move(store)](Report& report, const Entry& entry) {
        const std::optional<std::string> given = scalar_text(report, entry, "a name");
        if (!given) {
            return;
        }
        if (const std::optional<std::string> fault = fault_of_name(*given)) {
            report.error(entry.value.place,
                         fmt::format("{}: {} {}", entry.key, quoted(*given), *fault));
            return;
        }
        store(*given);
    };
}

void refuse_word(Report& report,
                 const Entry& entry,
                 std::string_view word,
                 const std::vector<std::string>& words) {
    report.error(entry.value.place,
                 fmt::format("{} must be one of {}, not {}{}",
                             entry.key,
                             listed(words),
                             quoted(word),
                             suggestion(word, words)));
}

std::optional<std::int64_t> number_key(Report& report,
                                       const Entry& entry,
                                       std::string_view what,
                                       std::int64_t least,
                                       std::int64_t most) {
    const core::Result<std::int64_t> number = parse_integer(entry.key);
    if (!number || *number < least || *number > most) {
        report.error(entry.place,
                     fmt::format("a key of {} must be a whole number from {} to {}, not {}",
                                 what,
                                 least,
                                 most,
                                 quoted(entry.key)));
        return std::nullopt;
    }
    return *number;
}

std::optional<std::string> word_of(Report& report,
                                   const Entry& entry,
                                   const std::vector<std::string>& vocabulary) {
    std::vector<std::pair<std::string, std::string>> words;
    for (const std::string& candidate : vocabulary) {
        words.emplace_back(candidate, candidate);
    }
    std::string result;
    word<std::string>(result, std::move(words))(report, entry);
    return result.empty() ? std::nullopt : std::optional(result);
}

}  // namespace liftwarden::config
