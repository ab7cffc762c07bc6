// Builds the tree from yaml-cpp's events. Events, not YAML::Node: they still show anchors, tags and
// every duplicate key, which the node interface has already thrown away.
#pragma once

#include "src/adapters/config/document.hpp"
#include "src/adapters/config/utf8.hpp"

#include <yaml-cpp/eventhandler.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::config {

// Thrown out of yaml-cpp's recursion when it makes no sense to read on; caught in parse_document.
struct Abandoned {
    Place place;
    std::string text;
};

// Lives for one parse; `report` and `lines` outlive it.
class TreeBuilder final : public YAML::EventHandler {
  public:
    static constexpr std::size_t depth_max = 32;
    static constexpr std::size_t values_max = 50'000;

    TreeBuilder(Report& report, const LineIndex& lines) : report_(report), lines_(lines) {}
    [[nodiscard]] const std::optional<Node>& root() const { return root_; }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  const std::string& value) override;
    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string& tag,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override;
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark,
                    const std::string& tag,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override;
    void OnMapEnd() override { close(); }

  private:
    struct Key {
        std::string text;
        Place place;
        bool usable = true;
    };
    // A collection whose end has not come yet.
    struct Open {
        Node node;
        std::optional<Key> key;             // of the value that comes next
        std::map<std::string, Place> seen;  // keys so far
    };

    Node begin(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor);
    void refuse_tag(const std::string& tag, Place place);
    void open(Node node);
    void close();
    void add(Node node);
    Key take_key(Open& mapping, const Node& node);

    Report& report_;
    const LineIndex& lines_;
    std::vector<Open> open_;
    std::optional<Node> root_;
    std::size_t values_ = 0;
};

}  // namespace liftwarden::config
