#include "tidemill/formats/epub/content/nav_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tidemill/formats/epub/content/xhtml/tags.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// If a nav has several types, the last one tested here wins.
Use use_of(std::string_view types) {
  Use use = Use::nav_other;
  if (has_word(types, "toc")) use = Use::nav_toc;
  if (has_word(types, "page-list")) use = Use::nav_pages;
  if (has_word(types, "landmarks")) use = Use::nav_landmarks;
  return use;
}

}  // namespace

void NavRules::start(const xml::Element& element) {
  const bool is_html = element.ns == kXhtmlNamespace;
  Frame frame{.where = element.where};
  if (const auto label = element.attribute("aria-label"); label && !is_blank(*label)) {
    frame.has_text = true;
  }
  if (is_html) {
    const std::string_view name = element.name;
    if (name == "body" && !has_body_) {
      has_body_ = true;
      body_ = element.where;
    }
    frame.is_heading = is_heading_name(name);
    frame.is_label =
        frame.is_heading || ((name == "a" || name == "span") && typed_navs_ > 0 && open_lists_ > 0);
    if (name == "img" && !open_.empty() && !is_blank(element.attribute("alt").value_or(""))) {
      open_.back().has_alt = true;
    }
    place(name, element.where, frame);
    if (name == "nav") start_nav(element, frame);
    if (name == "a" && typed_navs_ > 0) start_link(element);
    if (name == "ol") {
      ++lists_;
      if (typed_navs_ > 0) ++open_lists_;
    }
  } else if (!open_.empty() && open_.back().part != Part::other) {
    place(element.name, element.where, frame);
    frame.part = Part::other;
  }
  if (!open_.empty()) open_.back().has_child = true;
  open_.push_back(frame);
}

void NavRules::start_nav(const xml::Element& element, Frame& frame) {
  const auto types = element.attribute("type", kOpsNamespace);
  if (!types) return;
  frame.part = Part::nav;
  frame.use = use_of(*types);
  frame.lists_before = lists_;
  ++typed_navs_;
  uses_.push_back(frame.use);
  if (has_word(*types, "toc")) ++tocs_;
  if (has_word(*types, "page-list")) ++page_lists_;
  if (has_word(*types, "landmarks")) {
    ++landmark_lists_;
    ++landmark_navs_;
  }
}

void NavRules::start_link(const xml::Element& element) {
  const auto href = element.attribute("href");
  if (href) {
    document_.book->references.add({.use = uses_.back(),
                                    .from = document_.path,
                                    .url = std::string(*href),
                                    .target = resolve(*href, document_.path),
                                    .at = element.where});
  }
  if (landmark_navs_ == 0 || open_lists_ == 0) return;
  const auto types = element.attribute("type", kOpsNamespace);
  if (!types) {
    document_.report_if_whole("RSC-005", element.where, "a link in the landmarks has no epub:type");
    return;
  }
  Landmark landmark{.where = element.where};
  const std::uint32_t address = number_of(trimmed(href.value_or("")));
  std::string_view rest = *types;
  for (auto type = next_word(rest); !type.empty(); type = next_word(rest)) {
    landmark.keys.push_back(std::uint64_t{number_of(type)} << 32U | address);
  }
  std::ranges::sort(landmark.keys);
  const auto twice = std::ranges::unique(landmark.keys);
  landmark.keys.erase(twice.begin(), twice.end());
  for (const std::uint64_t key : landmark.keys) ++landmark_counts_[key];
  landmarks_.push_back(std::move(landmark));
}

// Names that differ only in case have the same number.
std::uint32_t NavRules::number_of(std::string_view name) {
  const auto next = static_cast<std::uint32_t>(numbers_.size());
  return numbers_.emplace(lowered(name), next).first->second;
}

void NavRules::place(std::string_view name, xml::Position where, Frame& frame) {
  if (open_.empty()) return;
  Frame& parent = open_.back();
  switch (parent.part) {
    case Part::other:
      break;
    case Part::nav:
      place_in_nav(name, where, frame, parent);
      break;
    case Part::list:
      if (name != "li") return refuse(name, "a navigation list", where);
      parent.stage = Stage::complete;
      frame.part = Part::item;
      break;
    case Part::item:
      place_in_item(name, where, frame, parent);
      break;
  }
}

void NavRules::place_in_nav(std::string_view name, xml::Position where, Frame& frame, Frame& nav) {
  const bool is_heading = frame.is_heading || name == "hgroup";
  const bool is_free = nav.use == Use::nav_other;
  if (is_free && !nav.has_child && !frame.is_heading) {
    document_.report_if_whole("RSC-005", nav.where, "this nav element must begin with a heading");
  }
  if (is_heading && nav.stage == Stage::empty) {
    nav.stage = Stage::label;
  } else if (name == "ol" && (nav.stage == Stage::empty || nav.stage == Stage::label)) {
    nav.stage = Stage::complete;
    frame.part = Part::list;
  } else if (nav.stage != Stage::wrong) {
    refuse(name, "a nav element", where);
    nav.stage = Stage::wrong;
  }
}

void NavRules::place_in_item(std::string_view name, xml::Position where, Frame& frame,
                             Frame& item) {
  if (item.stage == Stage::empty && (name == "a" || name == "span")) {
    item.stage = name == "a" ? Stage::label : Stage::span;
  } else if (name == "ol" && (item.stage == Stage::label || item.stage == Stage::span)) {
    item.stage = Stage::complete;
    frame.part = Part::list;
  } else if (item.stage != Stage::wrong) {
    refuse(name, "an item of a navigation list", where);
    item.stage = Stage::wrong;
  }
}

void NavRules::end(const xml::Element& element) {
  if (open_.empty()) return;
  const Frame frame = open_.back();
  open_.pop_back();
  if (frame.has_text && !open_.empty()) open_.back().has_text = true;
  if (frame.is_label && !frame.has_text && !frame.has_alt) {
    document_.report_if_whole("RSC-005", frame.where,
                              "the label \"" + std::string(element.name) + "\" has no text");
  }
  if (element.ns == kXhtmlNamespace && element.name == "ol" && typed_navs_ > 0) --open_lists_;
  if (frame.part == Part::nav) {
    end_nav(frame);
  } else if (frame.part == Part::list && frame.stage == Stage::empty) {
    document_.report("RSC-005", frame.where, "a navigation list has no items");
  } else if (frame.part == Part::item && frame.stage == Stage::empty) {
    document_.report("RSC-005", frame.where, "an item of a navigation list has no label");
  } else if (frame.part == Part::item && frame.stage == Stage::span) {
    document_.report("RSC-005", frame.where, "an item without a link must have a list below it");
  }
}

void NavRules::end_nav(const Frame& nav) {
  if (nav.stage == Stage::empty || nav.stage == Stage::label) {
    document_.report("RSC-005", nav.where, "a nav element has no list (ol)");
  }
  if (nav.use == Use::nav_other && !nav.has_child) {
    document_.report_if_whole("RSC-005", nav.where, "this nav element must begin with a heading");
  }
  const bool is_flat = nav.use == Use::nav_pages || nav.use == Use::nav_landmarks;
  if (is_flat && lists_ - nav.lists_before != 1) {
    document_.report_if_whole("RSC-017", nav.where,
                              "the page list and the landmarks should each be a single list");
  }
  --typed_navs_;
  uses_.pop_back();
  if (typed_navs_ == 0) open_lists_ = 0;
  if (nav.use == Use::nav_landmarks && --landmark_navs_ == 0) judge_landmarks();
}

void NavRules::judge_landmarks() {
  for (const Landmark& landmark : landmarks_) {
    const auto is_shared = [&](std::uint64_t key) { return landmark_counts_.at(key) > 1; };
    if (std::ranges::any_of(landmark.keys, is_shared)) {
      document_.report_if_whole("RSC-005", landmark.where,
                                "another landmark has the same type and target");
    }
  }
  landmarks_.clear();
  landmark_counts_.clear();
  numbers_.clear();
}

void NavRules::text(std::string_view part, xml::Position where) {
  if (open_.empty() || is_blank(part)) return;
  Frame& frame = open_.back();
  frame.has_text = true;
  if (frame.part == Part::other || frame.stage == Stage::wrong) return;
  document_.report("RSC-005", where, "a navigation list has text outside a label");
  frame.stage = Stage::wrong;
}

void NavRules::finish() {
  if (!has_body_) return;
  if (tocs_ != 1) {
    document_.report("RSC-005", body_,
                     "there must be exactly one nav element of type toc, but there are " +
                         std::to_string(tocs_));
  }
  if (page_lists_ > 1) document_.report("RSC-005", body_, "there is more than one page list");
  if (landmark_lists_ > 1) {
    document_.report("RSC-005", body_, "there is more than one list of landmarks");
  }
}

void NavRules::refuse(std::string_view name, std::string_view where_in, xml::Position where) {
  document_.report(
      "RSC-005", where,
      "element \"" + std::string(name) + "\" is not allowed here in " + std::string(where_in));
}

void judge_navigation(Inspection& book) {
  const bool is_educational =
      book.profile == Profile::education || book.package.is_of_type("edupub");
  if (!is_educational || book.archive == nullptr || book.edition() != Edition::epub3) return;
  const bool has_breaks = std::ranges::any_of(
      book.traits, [](const auto& pair) { return pair.second.has_page_breaks; });
  const bool has_pages = std::ranges::any_of(
      book.references.all(), [](const Reference& link) { return link.use == Use::nav_pages; });
  if (has_breaks && !has_pages) {
    book.findings.add("NAV-003", book.package.path, {},
                      "there is no nav element of type page-list");
  }
}

}  // namespace tidemill::epub
