#include "tidemill/formats/epub/content/xhtml/education.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "tidemill/formats/epub/content/xhtml/tags.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

constexpr std::size_t kTextKept = 4096;  // bytes of a heading's text

// A type and the type it must contain. Empty: a problem, with a question and at most one answer.
using Group = std::pair<std::string_view, std::string_view>;
constexpr auto kGroups = std::to_array<Group>({
    {"answers", "answer"},
    {"assessments", "assessment"},
    {"bibliography", "biblioentry"},
    {"credits", "credit"},
    {"footnotes", "footnote"},
    {"keywords", "keyword"},
    {"learning-objectives", "learning-objective"},
    {"learning-outcomes", "learning-outcome"},
    {"learning-resources", "learning-resource"},
    {"learning-standards", "learning-standard"},
    {"practices", "practice"},
    {"rearnotes", "rearnote"},
    {"fill-in-the-blank-problem", {}},
    {"general-problem", {}},
    {"match-problem", {}},
    {"multiple-choice", {}},
    {"true-false-problem", {}},
});

double rank_of(const xml::Element& element) {
  if (element.attribute("role") != "heading") return element.name[1] - '0';
  const auto level = element.attribute("aria-level");
  if (!level) return 2;
  int rank = 0;
  const std::string_view digits = trimmed(*level);
  std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  return rank;
}

}  // namespace

void EducationRules::report(xml::Position where, std::string_view sentence) const {
  document_.report_if_whole("RSC-005", where, std::string(sentence));
}

EducationRules::Part EducationRules::part_of(std::string_view name) {
  using Named = std::pair<std::string_view, Part>;
  static constexpr auto kParts = std::to_array<Named>({{"body", Part::body},
                                                       {"section", Part::section},
                                                       {"article", Part::article},
                                                       {"aside", Part::aside},
                                                       {"nav", Part::nav},
                                                       {"header", Part::header},
                                                       {"figure", Part::quote},
                                                       {"blockquote", Part::quote}});
  const auto* const found = std::ranges::find(kParts, name, &Named::first);
  return found == kParts.end() ? Part::other : found->second;
}

void EducationRules::start(const xml::Element& element) {
  const std::string_view name = element.ns == kXhtmlNamespace ? element.name : std::string_view{};
  const bool is_title = is_heading_name(name);
  Frame frame{.part = part_of(name)};
  frame.is_heading =
      is_title || (element.ns == kXhtmlNamespace && element.attribute("role") == "heading");
  note_words(element, frame);
  note_parent(element, frame, is_title);
  if (frame.is_heading) open_heading(element);
  if (const auto type = element.attribute("type", kOpsNamespace)) {
    count_members(*type);
    const auto* const group = std::ranges::find(kGroups, *type, &Group::first);
    if (group != kGroups.end()) {
      frame.group = static_cast<std::size_t>(group - kGroups.begin()) + 1;
      groups_.push_back(open_.size());
    }
  }
  enter(frame.part);
  open_.push_back(std::move(frame));
}

void EducationRules::enter(Part part) {
  const bool is_part = part == Part::section || part == Part::article;
  const bool is_side = part == Part::aside || part == Part::nav;
  if (is_part || is_side || part == Part::body) sections_.push_back(open_.size());
  parts_ += is_part ? 1U : 0U;
  sides_ += is_side ? 1U : 0U;
  navs_ += part == Part::nav ? 1U : 0U;
  quotes_ += part == Part::quote ? 1U : 0U;
  headers_ += part == Part::header ? 1U : 0U;
}

// Records labels, alternative text of images, and the use of microdata and RDFa.
void EducationRules::note_words(const xml::Element& element, Frame& frame) {
  if (const auto label = element.attribute("aria-label")) {
    frame.has_label = true;
    if (in_heading_ && !is_blank(*label)) heading_has_words_ = true;
    if (frame.part != Part::other) frame.label = normalized(*label);
  }
  if (frame.part == Part::body) body_label_ = frame.label;
  if (in_heading_ && element.name == "img" && !is_blank(element.attribute("alt").value_or(""))) {
    heading_has_words_ = true;
  }
  if (element.attribute("itemscope") && !has_microdata_) {
    has_microdata_ = true;
    microdata_ = element.where;
  }
  if (element.attribute("property")) has_rdfa_ = true;
}

void EducationRules::note_parent(const xml::Element& element, const Frame& frame, bool is_title) {
  if (open_.empty()) return;
  Frame& parent = open_.back();
  const bool is_section = frame.part == Part::section;
  if ((parent.part == Part::body || parent.part == Part::section) && parent.has_section &&
      !is_section) {
    report(element.where, "only sections may follow a section");
  }
  if (is_section) parent.has_section = true;
  if (element.ns == kXhtmlNamespace && parent.part == Part::body) {
    const bool is_part = is_section || frame.part == Part::article;
    if (!is_part) parent.has_loose = true;
    if (!is_part && frame.part != Part::aside && frame.part != Part::nav) parent.has_other = true;
  }
  if (element.ns == kXhtmlNamespace && element.name == "p" && parent.has_title && headers_ == 0 &&
      element.attribute("type", kOpsNamespace) == "subtitle") {
    report(element.where, "a subtitle must be in a header");
  }
  if (is_title) parent.has_title = true;
}

void EducationRules::open_heading(const xml::Element& element) {
  in_heading_ = true;
  heading_has_words_ = !is_blank(element.attribute("aria-label").value_or(""));
  heading_text_.clear();
  if (quotes_ > 0) report(element.where, "a figure or quotation has no heading");
  headings_.push_back({.rank = rank_of(element),
                       .depth = parts_ + sides_,
                       .may_be_top = !sections_.empty() && sides_ == 0 && parts_ <= 1,
                       .is_nested = parts_ + navs_ > 0,
                       .where = element.where});
}

void EducationRules::text(std::string_view part) {
  if (!in_heading_) return;
  if (!heading_has_words_) heading_has_words_ = !is_blank(part);
  if (heading_text_.size() < kTextKept) heading_text_ += part.substr(0, kTextKept);
}

void EducationRules::close_heading(Frame& frame) {
  in_heading_ = false;
  if (++frame.headings == 1) {
    frame.heading = normalized(heading_text_);
    frame.heading_is_empty = !heading_has_words_;
  }
}

void EducationRules::count_members(std::string_view type) {
  if (groups_.empty()) return;
  Frame& inner = open_[groups_.back()];
  if (type == "question") ++inner.questions;
  if (type == "answer") ++inner.answers;
  // A member counts for every group around it, up to the eight innermost: nested groups are rare.
  for (std::size_t i = groups_.size(); i > 0 && groups_.size() - i < 8; --i) {
    Frame& group = open_[groups_[i - 1]];
    if (type == kGroups[group.group - 1].second) ++group.members;
  }
}

void EducationRules::end(const xml::Element& element) {
  if (open_.empty()) return;
  const Frame frame = std::move(open_.back());
  open_.pop_back();
  if (frame.group > 0) {
    groups_.pop_back();
    judge_group(frame, element);
  }
  const bool is_part = frame.part == Part::section || frame.part == Part::article;
  const bool is_side = frame.part == Part::aside || frame.part == Part::nav;
  parts_ -= is_part ? 1U : 0U;
  sides_ -= is_side ? 1U : 0U;
  navs_ -= frame.part == Part::nav ? 1U : 0U;
  quotes_ -= frame.part == Part::quote ? 1U : 0U;
  headers_ -= frame.part == Part::header ? 1U : 0U;
  if (is_part || is_side || frame.part == Part::body) sections_.pop_back();
  if (frame.part == Part::body) body_is_section_ = frame.has_loose;
  if (is_part || (frame.part == Part::body && frame.has_other)) judge_section(frame, element);
  if (frame.is_heading && !sections_.empty()) close_heading(open_[sections_.back()]);
}

void EducationRules::judge_section(const Frame& frame, const xml::Element& element) const {
  if (frame.has_label && frame.label.empty()) report(element.where, "an aria-label is empty");
  if (frame.label.empty() && frame.headings == 0) report(element.where, "a section has no heading");
  if (frame.headings > 1) report(element.where, "a section has more than one heading");
  if (frame.headings == 1 && frame.heading_is_empty) report(element.where, "a heading is empty");
  if (frame.has_label && frame.headings > 0 && frame.heading == frame.label) {
    report(element.where, "aria-label repeats the heading");
  }
}

void EducationRules::judge_group(const Frame& frame, const xml::Element& element) const {
  const auto& [type, member] = kGroups[frame.group - 1];
  if (!member.empty()) {
    if (frame.members == 0) {
      report(element.where, "\"" + std::string(type) + "\" has no \"" + std::string(member) + "\"");
    }
    return;
  }
  if (frame.questions == 0) report(element.where, "a problem has no question");
  if (frame.answers > 1) report(element.where, "a problem has more than one answer");
}

// The expected rank of a heading follows from its depth and from the rank of the top heading.
void EducationRules::finish() {
  if (has_microdata_ && !has_rdfa_) document_.report("HTM-051", microdata_);
  const auto top = std::ranges::find(headings_, true, &Heading::may_be_top);
  double top_rank = 1;
  double top_depth = 1;
  if (!body_label_.empty()) {
    top_depth = 0;
  } else if (top != headings_.end()) {
    top_rank = top->rank;
    top_depth = top->is_nested ? 1 : 0;
  } else {
    top_depth = 0;
  }
  for (const Heading& heading : headings_) {
    const double expected =
        body_is_section_ ? top_rank - top_depth + heading.depth : top_rank + heading.depth - 1;
    const bool fits = expected < 6 ? heading.rank == expected : heading.rank >= 6;
    if (!fits) report(heading.where, "the rank of a heading does not fit its position");
  }
}

}  // namespace tidemill::epub
