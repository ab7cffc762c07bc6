#include "src/adapters/config/tree_builder.hpp"

#include <fmt/format.h>

#include <utility>

namespace liftwarden::config {

Node TreeBuilder::begin(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    Node node;
    node.kind = kind;
    node.place = lines_.place(mark);
    if (++values_ > values_max) {
        throw Abandoned{node.place, fmt::format("the file has more than {} values", values_max)};
    }
    if (anchor != YAML::NullAnchor) {
        report_.error(node.place, "anchors (&name) are not supported; write the value out");
    }
    return node;
}

// yaml-cpp gives "?" for what is plain and untagged, "!" for quoted text, else the resolved tag.
void TreeBuilder::refuse_tag(const std::string& tag, Place place) {
    if (!tag.empty() && tag != "?" && tag != "!") {
        report_.error(place, fmt::format("tags are not supported; remove {}", quoted(tag)));
    }
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
    add(begin(Node::Kind::null, mark, anchor));
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
    Node node = begin(Node::Kind::invalid, mark, YAML::NullAnchor);
    report_.error(node.place, "aliases (*name) are not supported; write the value out");
    add(std::move(node));
}

void TreeBuilder::OnScalar(const YAML::Mark& mark,
                           const std::string& tag,
                           YAML::anchor_t anchor,
                           const std::string& value) {
    Node node = begin(Node::Kind::scalar, mark, anchor);
    refuse_tag(tag, node.place);
    if (!lines_.quote_closes(mark)) {
        throw Abandoned{node.place, "the quote that opens here is not closed on its line"};
    }
    node.text = value;
    node.quoted = tag == "!";
    add(std::move(node));
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark,
                                  const std::string& tag,
                                  YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value) {
    Node node = begin(Node::Kind::sequence, mark, anchor);
    refuse_tag(tag, node.place);
    open(std::move(node));
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark,
                             const std::string& tag,
                             YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
    Node node = begin(Node::Kind::mapping, mark, anchor);
    refuse_tag(tag, node.place);
    open(std::move(node));
}

void TreeBuilder::open(Node node) {
    if (open_.size() == depth_max) {
        throw Abandoned{node.place, fmt::format("nested more than {} levels deep", depth_max)};
    }
    open_.push_back({std::move(node), std::nullopt, {}});
}

void TreeBuilder::close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
}

void TreeBuilder::add(Node node) {
    if (open_.empty()) {
        root_ = std::move(node);
        return;
    }
    Open& parent = open_.back();
    if (node.flawed || node.kind == Node::Kind::invalid) {
        parent.node.flawed = true;
    }
    if (parent.node.kind == Node::Kind::sequence) {
        parent.node.items.push_back(std::move(node));
        return;
    }
    if (!parent.key) {
        parent.key = take_key(parent, node);
        return;
    }
    Key key = std::move(*parent.key);
    parent.key.reset();
    if (!key.usable) {
        parent.node.flawed = true;
        return;
    }
    if (node.kind == Node::Kind::null) {
        node.place = key.place;  // yaml-cpp's mark of an absent value is wherever the next token is
    }
    parent.node.entries.push_back({std::move(key.text), key.place, std::move(node)});
}

TreeBuilder::Key TreeBuilder::take_key(Open& mapping, const Node& node) {
    Key key{node.text, node.place, node.kind == Node::Kind::scalar};
    if (!key.usable) {
        if (node.kind != Node::Kind::invalid) {
            report_.error(node.place,
                          fmt::format("a key must be plain text, not {}", describe(node.kind)));
        }
        return key;
    }
    if (node.text == "<<" && !node.quoted) {
        report_.error(node.place, "merge keys (<<) are not supported; write the keys out");
        key.usable = false;
        return key;
    }
    const auto [first, inserted] = mapping.seen.emplace(node.text, node.place);
    if (!inserted) {
        report_.error(node.place,
                      fmt::format("duplicate key {}; it is already given at {}",
                                  quoted(node.text),
                                  report_.describe(first->second)));
        key.usable = false;
    }
    return key;
}

}  // namespace liftwarden::config
