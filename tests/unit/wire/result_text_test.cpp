#include "src/wire/result_text.hpp"

#include "src/wire/command_text.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::wire;
using namespace std::chrono_literals;
using core::Reason;
using core::Status;

namespace {

const core::WallTime at{1'777'732'321'402ms};

core::ResultMessage acked() {
    core::ResultMessage message;
    message.elevator = core::ElevatorId("EL001");
    message.to = core::SourceId("node-a");
    message.seq = core::Seq("1003");
    message.status = Status::acked;
    message.wire_seq = core::WireSeq(812);
    message.mode = core::ArbitrationMode::lock;
    message.epoch = 7;
    message.msg_id = "9f3c";
    message.issued_at = "2026-05-02T14:32:01.251Z";
    message.task = "T-77";
    message.elapsed = {3ms, 1ms, 140ms};
    return message;
}

ReceivedResult read(const std::string& payload) {
    auto result = parse_result(payload);
    INFO(payload);
    REQUIRE(result.has_value());
    return *result;
}

}  // namespace

TEST_CASE("result: the contract's example comes out field by field", "[wire][result]") {
    CHECK(
        render_result(acked(), at) ==
        R"({"type":"result","seq":"1003","elevator":"EL001","source":"node-a","status":"acked",)"
        R"("final":true,"reason":null,"detail":"","duplicate":false,"of":null,"position":null,)"
        R"("wire_seq":812,"mode":"lock","epoch":7,"at":"2026-05-02T14:32:01.402Z",)"
        R"("msg_id":"9f3c","issued_at":"2026-05-02T14:32:01.251Z","task":"T-77","elapsed_ms":{"queued":3,"verify":1,"ack":140}})");
}

TEST_CASE("result: what is unknown is null, what was not measured is left out", "[wire][result]") {
    core::ResultMessage message;
    message.elevator = core::ElevatorId("EL001");
    message.to = core::SourceId("node-a");
    message.position = 2;
    message.elapsed.queued = 1999999ns;
    CHECK(render_result(message, at) ==
          R"({"type":"result","seq":null,"elevator":"EL001","source":"node-a",)"
          R"("status":"accepted","final":false,"reason":null,"detail":"","duplicate":false,)"
          R"("of":null,"position":2,"wire_seq":null,"mode":"standalone","epoch":0,)"
          R"("at":"2026-05-02T14:32:01.402Z","msg_id":null,"issued_at":null,"task":null,)"
          R"("elapsed_ms":{"queued":1}})");
}

TEST_CASE("result: exactly the final statuses say final", "[wire][result]") {
    for (const Status status : {Status::accepted,
                                Status::sent,
                                Status::acked,
                                Status::coalesced,
                                Status::rejected,
                                Status::expired,
                                Status::failed,
                                Status::unknown,
                                Status::served,
                                Status::not_served}) {
        core::ResultMessage message = acked();
        message.status = status;
        const std::string payload = render_result(message, at);
        INFO(payload);
        CHECK(read(payload).is_final == core::is_final(status));
        CHECK(read(payload).status == status);
        const bool follow_up = status == Status::served || status == Status::not_served;
        CHECK((payload.find(R"("final":false,"follow_up":true,)") != std::string::npos) ==
              follow_up);
        CHECK((payload.find("follow_up") != std::string::npos) == follow_up);
        CHECK((payload.find(R"("needs_operator":true)") != std::string::npos) ==
              (status == Status::unknown));
    }
}

TEST_CASE("result: a query's answer has its own type and no final", "[wire][result]") {
    core::ResultMessage message = acked();
    message.query = true;
    const std::string payload = render_result(message, at);
    CHECK(payload.find(R"("type":"query_result")") != std::string::npos);
    CHECK(payload.find("final") == std::string::npos);
    CHECK(read(payload).type == "query_result");
    CHECK_FALSE(read(payload).is_final);
    message.status = Status::unknown;
    CHECK(render_result(message, at).find(R"("needs_operator":true)") != std::string::npos);
}

TEST_CASE("result: a coalesced command names the one it stands behind", "[wire][result]") {
    core::ResultMessage message = acked();
    message.status = Status::coalesced;
    message.of = core::CommandRef{core::SourceId("node-b"), core::Seq("1002")};
    const std::string payload = render_result(message, at);
    CHECK(payload.find(R"("of":{"seq":"1002","source":"node-b"})") != std::string::npos);
    CHECK(read(payload).of == message.of);
}

TEST_CASE("result: every reason is written as the contract's word and read back",
          "[wire][result]") {
    for (int i = 0; i <= static_cast<int>(Reason::shutdown); ++i) {
        core::ResultMessage message = acked();
        message.status = Status::rejected;
        message.reason = static_cast<Reason>(i);
        CHECK(read(render_result(message, at)).reason == message.reason);
    }
    core::ResultMessage message = acked();
    message.reason = Reason::operator_;
    CHECK(render_result(message, at).find(R"("reason":"operator")") != std::string::npos);
}

TEST_CASE("result: a message nobody could read is answered with seq null", "[wire][result]") {
    Refusal refusal;
    refusal.reason = Reason::bad_json;
    refusal.detail = "the payload is refused: \"x\"";
    const auto message = to_result(refusal,
                                   core::ElevatorId("EL001"),
                                   core::SourceId("node-a"),
                                   core::ArbitrationMode::standalone,
                                   0);
    const std::string payload = render_result(message, at);
    CHECK(payload.find(R"("seq":null)") != std::string::npos);
    const ReceivedResult result = read(payload);
    CHECK_FALSE(result.seq);
    CHECK(result.is_final);
    CHECK(result.status == Status::rejected);
    CHECK(result.reason == Reason::bad_json);
    CHECK(result.detail == refusal.detail);
}

TEST_CASE("result: a reader gets what was written", "[wire][result]") {
    core::ResultMessage message = acked();
    message.duplicate = true;
    message.detail = "line\nbreak";
    const ReceivedResult expected{"result",
                                  core::Seq("1003"),
                                  "EL001",
                                  "node-a",
                                  Status::acked,
                                  true,
                                  Reason::none,
                                  "line\nbreak",
                                  true,
                                  std::nullopt};
    CHECK(read(render_result(message, at)) == expected);
}

TEST_CASE("result: a reader is told which field is wrong", "[wire][result]") {
    const auto fault = [](std::string_view payload) {
        const auto result = parse_result(payload);
        REQUIRE(result.has_error());
        CHECK(result.error().kind == core::ErrorClass::corrupt);
        return result.error().text;
    };
    const std::string whole = render_result(acked(), at);
    const auto with = [&whole](const std::string& from, const std::string& to) {
        std::string text = whole;
        const std::size_t place = text.find(from);
        REQUIRE(place != std::string::npos);
        return text.replace(place, from.size(), to);
    };
    CHECK_THAT(fault("x"), Catch::Contains("not valid JSON"));
    CHECK_THAT(fault("[]"), Catch::Contains("must be an object"));
    CHECK_THAT(fault(with(R"("status":"acked",)", "")), Catch::Contains("status is missing"));
    CHECK_THAT(fault(with(R"("acked")", R"("done")")), Catch::Contains("status must be a word"));
    CHECK_THAT(fault(with(R"("final":true)", R"("final":1)")),
               Catch::Contains("final must be true or false, not 1"));
    CHECK_THAT(fault(with(R"("of":null)", R"("of":{"seq":"1"})")),
               Catch::Contains("of.source is missing"));
}
