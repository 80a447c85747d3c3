#include "tidemill/formats/epub/content/xhtml/index.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tidemill/formats/epub/content/xhtml/tags.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

enum Type : std::uint32_t {
  index = 1U << 0U,
  headnotes = 1U << 1U,
  legend = 1U << 2U,
  group = 1U << 3U,
  entry_list = 1U << 4U,
  entry = 1U << 5U,
  term = 1U << 6U,
  note = 1U << 7U,
  locator_list = 1U << 8U,
  locator = 1U << 9U,
  range = 1U << 10U,
  preferred = 1U << 11U,
  related = 1U << 12U,
  category = 1U << 13U,
};

using Named = std::pair<std::string_view, Type>;

constexpr auto kTypes = std::to_array<Named>({
    {"index", index},
    {"index-headnotes", headnotes},
    {"index-legend", legend},
    {"index-group", group},
    {"index-entry-list", entry_list},
    {"index-entry", entry},
    {"index-term", term},
    {"index-editor-note", note},
    {"index-locator-list", locator_list},
    {"index-locator", locator},
    {"index-locator-range", range},
    {"index-xref-preferred", preferred},
    {"index-xref-related", related},
    {"index-term-category", category},
});

std::uint32_t types_of(std::string_view words) {
  std::uint32_t types = 0;
  for (auto word = next_word(words); !word.empty(); word = next_word(words)) {
    for (const auto& [name, type] : kTypes) {
      if (name == word) types |= type;
    }
  }
  return types;
}

// Returns a view that outlives the element; empty for tags that the rules do not need.
std::string_view kept(std::string_view tag) {
  constexpr auto kTags = std::to_array<std::string_view>(
      {"body", "section", "article", "aside", "nav", "header", "dl", "ul", "li", "a"});
  const auto* const found = std::ranges::find(kTags, tag);
  return found == kTags.end() ? std::string_view{} : *found;
}

bool is_section(std::string_view tag) {
  return tag == "section" || tag == "article" || tag == "aside" || tag == "nav";
}

// Block elements, which a term must not be. Unknown elements are accepted.
bool is_block(std::string_view name) {
  constexpr auto kBlocks = std::to_array<std::string_view>(
      {"address", "article", "aside",  "blockquote", "body", "dd",   "div", "dl", "dt",
       "figure",  "footer",  "header", "hr",         "li",   "main", "nav", "ol", "p",
       "pre",     "section", "table",  "td",         "th",   "tr",   "ul"});
  return is_heading_name(name) || std::ranges::find(kBlocks, name) != kBlocks.end();
}

}  // namespace

void IndexRules::report(const xml::Element& element, std::string_view sentence) const {
  document_.report_if_whole("RSC-005", element.where, std::string(sentence));
}

// The nearest li or typed ancestor is an entry, by its position or its type.
bool IndexRules::is_in_entry(const Frame& frame) const {
  return frame.near_li != kNowhere && open_[frame.near_li].is_entry;
}

IndexRules::Frame IndexRules::frame_of(const xml::Element& element) const {
  Frame frame{.tag = kept(element.name)};
  if (const auto type = element.attribute("type", kOpsNamespace)) {
    frame.has_type = true;
    frame.types = types_of(*type);
  }
  bool has_list_around = false;
  if (!open_.empty()) {
    const Frame& parent = open_.back();
    const std::size_t place = open_.size() - 1;
    frame.around = parent.around | parent.types;
    frame.in_item = parent.in_item || (parent.is_entry && parent.tag == "li");
    frame.near_type = parent.has_type ? place : parent.near_type;
    frame.near_ul = parent.has_type || parent.tag == "ul" ? place : parent.near_ul;
    frame.near_li = parent.has_type || parent.tag == "li" ? place : parent.near_li;
    has_list_around = parent.is_list && parent.tag == "ul";
  }
  const bool is_implied = !frame.has_type && (frame.around & (index | headnotes)) == index;
  frame.is_list = (frame.types & entry_list) != 0 || (frame.tag == "ul" && is_implied);
  frame.is_entry = (frame.types & entry) != 0 || (frame.tag == "li" && has_list_around);
  frame.has_locator = (frame.types & locator) != 0 || (frame.tag == "a" && !frame.has_type);
  frame.has_term = (frame.types & (term | category)) != 0;
  return frame;
}

void IndexRules::start(const xml::Element& element) {
  if (foreign_ > 0 || element.ns != kXhtmlNamespace) {
    ++foreign_;
    return;
  }
  const Frame frame = frame_of(element);
  if ((frame.types & index) != 0) has_index_ = true;
  if (frame.tag == "body") {
    in_body_ = true;
    body_is_index_ = element.attribute("type", kOpsNamespace) == "index";
  }
  if (frame.types != 0 || frame.is_list || frame.is_entry) check_place(frame, element);
  count(frame, element.name);
  open_.push_back(frame);
}

void IndexRules::check_place(const Frame& frame, const xml::Element& element) const {
  const std::uint32_t types = frame.types;
  const std::uint32_t around = frame.near_type == kNowhere ? 0 : open_[frame.near_type].types;
  const bool is_sectional = is_section(frame.tag);
  if ((types & index) != 0 && !is_sectional && frame.tag != "body") {
    report(element, "only a body or a section can be an index");
  }
  if ((types & headnotes) != 0 &&
      ((!is_sectional && frame.tag != "header") || (around & index) == 0)) {
    report(element, "index-headnotes are not allowed here");
  }
  if ((types & legend) != 0 &&
      ((!is_sectional && frame.tag != "dl") || (around & headnotes) == 0)) {
    report(element, "an index-legend is not allowed here");
  }
  if ((types & group) != 0 && (!is_sectional || (around & index) == 0)) {
    report(element, "an index-group is not allowed here");
  }
  if (frame.is_list) check_list(frame, element);
  check_entry_parts(frame, element);
  check_locators(frame, element);
}

void IndexRules::check_entry_parts(const Frame& frame, const xml::Element& element) const {
  const std::uint32_t types = frame.types;
  if (frame.is_entry && (frame.tag != "li" || open_.empty() || !open_.back().is_list)) {
    report(element, "an index-entry must be an item of an index-entry-list");
  }
  const bool is_part = (types & (note | locator_list | related | preferred)) != 0;
  if (is_part && !is_in_entry(frame)) report(element, "it is allowed only in an index-entry");
  if ((types & term) != 0) {
    const std::uint32_t parent = open_.empty() ? 0 : open_.back().types;
    if (is_block(element.name) ||
        ((parent & (entry | related | preferred)) == 0 && !is_in_entry(frame))) {
      report(element, "an index-term is not allowed here");
    }
  }
}

void IndexRules::check_locators(const Frame& frame, const xml::Element& element) const {
  const std::uint32_t types = frame.types;
  if ((types & locator_list) != 0 && frame.tag != "ul")
    report(element, "a list of locators must be a ul");
  const bool is_listed = (frame.around & (locator_list | range)) != 0;
  if ((types & locator) != 0 && (frame.tag != "a" || (!is_listed && !is_in_entry(frame)))) {
    report(element, "an index-locator is not allowed here");
  }
  if ((types & range) != 0 && (frame.around & locator_list) == 0 && !is_in_entry(frame)) {
    report(element, "an index-locator-range is not allowed here");
  }
  if ((types & category) != 0 &&
      (frame.tag != "a" ||
       ((types & (related | preferred)) == 0 && (frame.around & (related | preferred)) == 0))) {
    report(element, "an index-term-category is not allowed here");
  }
}

void IndexRules::check_list(const Frame& frame, const xml::Element& element) const {
  if (frame.tag != "ul") return report(element, "an index-entry-list must be a ul");
  const bool is_typed =
      frame.near_type != kNowhere && (open_[frame.near_type].types & (index | group | entry)) != 0;
  if (!is_typed && !frame.in_item) report(element, "an index-entry-list is not allowed here");
}

void IndexRules::count(const Frame& frame, std::string_view name) {
  const std::uint32_t types = frame.types;
  if (!open_.empty() && frame.tag == "li") open_.back().has_item = true;
  const bool is_plain_list = frame.tag == "ul" && !frame.has_type;
  const auto add = [](std::uint32_t& counter, bool is_one) { counter += is_one ? 1U : 0U; };
  if (frame.near_ul != kNowhere) {
    Holds& holds = open_[frame.near_ul].sections;
    add(holds.headings, is_heading_name(name));
    add(holds.headnotes, (types & headnotes) != 0);
    add(holds.groups, (types & group) != 0);
    add(holds.lists, frame.tag == "ul" || (types & entry_list) != 0);
    add(holds.plain_lists, frame.tag == "ul");
  }
  if (frame.near_li == kNowhere) return;
  Holds& holds = open_[frame.near_li].entry;
  constexpr std::uint32_t kSubstance =
      entry_list | note | locator_list | locator | range | preferred | related;
  add(holds.lists, is_plain_list || (types & entry_list) != 0);
  add(holds.terms, (types & (term | related | preferred)) == term);
  add(holds.locator_lists, (types & locator_list) != 0);
  add(holds.locators, (types & (locator | range)) != 0);
  add(holds.notes, (types & note) != 0);
  add(holds.preferred, (types & preferred) != 0);
  add(holds.related, (types & related) != 0);
  add(holds.substance, is_plain_list || (types & kSubstance) != 0);
}

void IndexRules::text(std::string_view part) {
  if (!in_body_ || has_other_text_ || open_.size() < 2 || is_blank(part)) return;
  const bool is_indexed = (open_.back().around & index) != 0;
  if (!is_indexed && open_.back().tag != "body") has_other_text_ = true;
}

void IndexRules::end(const xml::Element& element) {
  if (foreign_ > 0) {
    --foreign_;
    return;
  }
  if (open_.empty()) return;
  const Frame frame = open_.back();
  open_.pop_back();
  if (!open_.empty()) {
    open_.back().links += frame.links + (frame.tag == "a" ? 1 : 0);
    open_.back().has_locator |= frame.has_locator;
    open_.back().has_term |= frame.has_term;
  }
  judge(frame, element);
  if (frame.tag == "body") in_body_ = false;
  if (!open_.empty() || !is_index_) return;
  if (!has_index_) report(element, "the document is declared as an index, but has none");
  if (!has_other_text_ && !body_is_index_) {
    report(element, "the document contains only an index, so its body must be of type index");
  }
}

void IndexRules::judge(const Frame& frame, const xml::Element& element) const {
  judge_index(frame, element);
  if (frame.is_list && !frame.has_item) report(element, "a list of entries has no entry");
  if (frame.is_entry) judge_entry(frame.entry, element);
  if ((frame.types & locator_list) != 0 && !frame.has_locator) {
    report(element, "a list of locators has no locator");
  }
  if ((frame.types & range) != 0 && (frame.links == 0 || frame.links > 2)) {
    report(element, "a range must have one or two locators");
  }
  if ((frame.types & (related | preferred)) != 0 && !frame.has_term) {
    report(element, "a cross-reference has no term");
  }
}

void IndexRules::judge_index(const Frame& frame, const xml::Element& element) const {
  const Holds& holds = frame.sections;
  if ((frame.types & (index | group)) != 0 && holds.headings > 1) {
    report(element, "an index and its groups may have at most one heading");
  }
  if ((frame.types & index) != 0) {
    if (holds.headnotes > 1) report(element, "there is more than one index-headnotes");
    if (holds.groups > 0 ? holds.lists > 0 : holds.lists != 1) {
      report(element, "an index must contain either one list of entries or groups");
    }
  }
  if ((frame.types & group) != 0 && holds.plain_lists != 1) {
    report(element, "an index-group must contain one list of entries");
  }
}

void IndexRules::judge_entry(const Holds& holds, const xml::Element& element) const {
  if (holds.terms != 1) report(element, "an index entry must have exactly one term");
  if (holds.substance == 0) report(element, "an index entry has no target");
  if (holds.lists > 1 || holds.locator_lists > 1 || holds.notes > 1) {
    report(element, "an index entry may contain only one list of each kind, and one note");
  }
  if (holds.locator_lists > 0 && holds.locators > 0) {
    report(element, "an index entry may have locators in a list or on their own, not both");
  }
  if (holds.preferred > 0 && holds.related > 0) {
    report(element, "an index entry may refer to a preferred term or to related terms, not both");
  }
}

}  // namespace tidemill::epub
