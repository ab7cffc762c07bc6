// Topics: what is read as an address says the same when it is built again, and nothing outside of
// a source's own reply branch is ever an address for answers.
#include "src/wire/topics.hpp"
#include "tests/fuzz/check.hpp"

#include <cstdint>
#include <string_view>

namespace {

using namespace liftwarden;
using fuzz::check;

void check_topic(const wire::Topics& topics, std::string_view text) {
    const wire::Topic topic = topics.parse(text);
    if (const auto* dispatch = std::get_if<wire::DispatchTopic>(&topic)) {
        check(topics.dispatch(dispatch->elevator, dispatch->source) == text, "a dispatch topic");
        check(!wire::is_reserved_elevator(dispatch->elevator.str()), "no reserved elevator");
    } else if (const auto* node = std::get_if<wire::NodeTopic>(&topic)) {
        check(topics.node(node->source) == text, "a node topic");
    } else if (const auto* gateway = std::get_if<wire::GatewayTopic>(&topic)) {
        check(topics.gateway(gateway->gateway) == text, "a gateway topic");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // NOLINTNEXTLINE: bytes are characters here
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static const wire::Topics plain("lift", "site");
    static const wire::Topics deep("acme/lift", "dc-east");
    check_topic(plain, text);
    check_topic(deep, text);
    if (plain.is_reply(core::SourceId{"node-a"}, text)) {
        constexpr std::string_view branch = "lift/site/reply/node-a/";
        check(text.size() > branch.size() && text.substr(0, branch.size()) == branch,
              "an answer stays in its sender's branch");
        check(text.find_first_of("#+") == std::string_view::npos, "without wildcards");
        check(text.find('\0') == std::string_view::npos, "without control characters");
    }
    if (wire::is_topic_id(text)) {
        check(text.find_first_of("/#+") == std::string_view::npos, "an id is one level");
    }
    return 0;
}
