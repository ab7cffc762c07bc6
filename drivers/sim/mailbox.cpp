#include "drivers/sim/mailbox.hpp"

#include <utility>

namespace liftwarden::sim {

const char* to_string(InputKind kind) {
    return kind == InputKind::latch ? "latch" : "queue";
}

std::optional<InputKind> input_kind_from(const std::string& text) {
    for (const InputKind kind : {InputKind::latch, InputKind::queue}) {
        if (text == to_string(kind)) {
            return kind;
        }
    }
    return std::nullopt;
}

bool is_newer(std::uint16_t last, std::uint16_t seq) {
    constexpr unsigned ring = 65535;
    const unsigned ahead = (seq + ring - last) % ring;
    return ahead >= 1 && ahead <= 32767;
}

bool MailboxInput::written(const CommandBlock& block) {
    if (kind_ == InputKind::latch) {
        writes_.clear();
    } else if (writes_.size() >= queue_max) {
        return false;
    }
    writes_.push_back(block);
    return true;
}

std::optional<CommandBlock> MailboxInput::take() {
    if (writes_.empty()) {
        return std::nullopt;
    }
    const CommandBlock block = writes_.front();
    writes_.pop_front();
    return block;
}

MailboxInput::Judgement MailboxInput::judge(std::uint16_t wire_seq) const {
    if (!protect_) {
        return Judgement::fresh;
    }
    if (wire_seq == 0) {
        return Judgement::empty;
    }
    if (wire_seq == last_) {
        return Judgement::duplicate;
    }
    const bool fresh = !since_power_up_ || is_newer(last_, wire_seq);
    return fresh ? Judgement::fresh : Judgement::old;
}

void MailboxInput::seen(std::uint16_t wire_seq) {
    last_ = wire_seq;
    since_power_up_ = true;
}

void MailboxInput::power_up(std::uint16_t found) {
    writes_.clear();
    last_ = found;
    since_power_up_ = false;
}

}  // namespace liftwarden::sim
