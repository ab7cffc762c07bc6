// The PLC's half of the mailbox: what becomes of a written command, and how it is answered.
#include "drivers/sim/fields.hpp"
#include "drivers/sim/plc.hpp"

#include <algorithm>

namespace liftwarden::sim {

using core::TimePoint;

namespace {

// For people; the door is left out where no floor has a second one.
std::string describe(const ports::ElevatorMap& map, core::Content content) {
    const bool two_sided =
        std::any_of(map.floors.begin(), map.floors.end(), [](const core::Floor& floor) {
            return floor.doors.size() > 1;
        });
    if (!two_sided) {
        content.door.reset();
    }
    return core::describe(content);
}

}  // namespace

// A map without the word gets a code that nobody knows, rather than a wrong one.
std::uint16_t Plc::result_code(const char* word) const {
    return static_cast<std::uint16_t>(code_of(config_.map, "results", word).value_or(0xFFFF));
}

void Plc::take_command(TimePoint now) {
    const auto written = input_.take();
    if (!written) {
        return;
    }
    switch (input_.judge(written->wire_seq)) {
        case MailboxInput::Judgement::empty:
            note_command(now, *written, {"empty", 0, "wire_seq is 0", ""});
            return;
        case MailboxInput::Judgement::old:
            note_command(
                now, *written, {"old", 0, "last was " + std::to_string(input_.last()), ""});
            return;
        case MailboxInput::Judgement::duplicate:
            note_command(now, *written, {"duplicate", last_answer_.result, "", ""});
            // Whoever writes it again has not seen the answer.
            if (!late_) {
                answer(now, last_answer_);
            }
            return;
        case MailboxInput::Judgement::fresh:
            break;
    }
    const Decision decision = decide(*written, now);
    input_.seen(written->wire_seq);
    note_command(now, *written, decision);
    collect_car_notes();
    last_answer_ = {written->wire_seq, decision.result};
    late_.reset();
    answer(now, last_answer_);
}

Plc::Decision Plc::decide(const CommandBlock& block, TimePoint now) {
    const auto content = decode(config_.map, block);
    const std::string text = content ? describe(config_.map, *content) : "";
    if (faults_.hit(FaultKind::busy, now)) {
        return {"busy", result_code("busy"), "fault on request", text};
    }
    if (faults_.hit(FaultKind::refuse, now)) {
        return {"refused", result_code("refused"), "fault on request", text};
    }
    if (!content) {
        return {"refused", result_code("refused"), content.error().text, ""};
    }
    const Verdict verdict = car_.take(now, *content);
    if (!verdict.accepted) {
        return {"refused", result_code("refused"), verdict.why, text};
    }
    if (const auto fault = faults_.hit(FaultKind::result, now)) {
        return {"executed",
                static_cast<std::uint16_t>(fault->number.value_or(0)),
                "result on request",
                text};
    }
    return {"executed", result_code("accepted"), "", text};
}

void Plc::note_command(TimePoint now, const CommandBlock& block, const Decision& decision) {
    boost::json::object data{{"decision", decision.word},
                             {"content", decision.content},
                             {"action", block.action},
                             {"argument", block.argument},
                             {"door", block.door},
                             {"wire_seq", block.wire_seq},
                             {"result", decision.result}};
    if (const auto word = word_of(config_.map, "actions", block.action)) {
        data["action_word"] = *word;
    }
    if (!decision.why.empty()) {
        data["why"] = decision.why;
    }
    note(now, "command", std::move(data));
}

void Plc::answer(TimePoint now, Answer given) {
    if (const auto fault = faults_.hit(FaultKind::ack_lost, now)) {
        note(now, "fault", {{"fault", "ack-lost"}, {"wire_seq", given.echo}});
        return;
    }
    if (const auto fault = faults_.hit(FaultKind::ack_late, now)) {
        note(now, "fault", {{"fault", "ack-late"}, {"wire_seq", given.echo}});
        late_ = LateAnswer{now + fault->delay, given};
        return;
    }
    shown_ = given;
}

void Plc::show_late_answer(TimePoint now) {
    if (late_ && late_->due <= now) {
        shown_ = late_->answer;
        note(now, "late_answer", {{"wire_seq", shown_.echo}});
        late_.reset();
    }
}

}  // namespace liftwarden::sim
