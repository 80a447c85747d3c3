#include "tidemill/formats/epub/content/ncx_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// A number in XPath syntax: digits, an optional point and minus, no plus and no exponent.
std::optional<double> number_of(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text.find_first_not_of("0123456789.-") != std::string_view::npos) {
    return std::nullopt;
  }
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string shown(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end.ptr};
}

}  // namespace

void NcxReader::doctype(const xml::Doctype& doctype, xml::Position where) {
  check_doctype(document_, doctype, kNcxType, where);
}

void NcxReader::start(const xml::Element& element) {
  Frame frame;
  check_id(element);
  if (const auto order = element.attribute("playOrder")) {
    frame.target = targets_.size();
    Entry& target = targets_.emplace_back();
    target.order = number_of(*order);
    target.is_one = *order == "1";
    target.where = element.where;
  }
  if (element.ns == kNcxNamespace) start_ncx(element, frame);
  open_.push_back(std::move(frame));
}

void NcxReader::start_ncx(const xml::Element& element, Frame& frame) {
  const std::string_view name = element.name;
  if (name == "text" || name == "img" || name == "pageList") check_pair(element);
  if (name == "text") {
    frame.is_text = true;
  } else if (name == "content") {
    const auto src = element.attribute("src");
    if (!src) return;
    document_.book->references.add({.use = Use::ncx,
                                    .from = document_.path,
                                    .url = std::string(*src),
                                    .target = resolve(*src, document_.path),
                                    .at = element.where});
    if (open_.empty() || open_.back().target == kNone) return;
    targets_[open_.back().target].src = std::string(*src);
  } else if (name == "meta") {
    const auto content = element.attribute("content");
    if (element.attribute("name") == "dtb:uid" && content) uid_ = std::string(*content);
  } else if (name == "navLabel" || name == "navInfo") {
    note_language(element, name);
  } else if (name == "pageTarget") {
    check_page(element);
  }
}

// The labels of one entry must differ in language.
void NcxReader::note_language(const xml::Element& element, std::string_view kind) {
  const auto language = element.attribute("lang", xml::kXmlNamespace);
  if (!language || open_.empty()) return;
  Frame& parent = open_.back();
  auto& seen = kind == "navLabel" ? parent.label_languages : parent.info_languages;
  if (!seen.emplace(*language).second) {
    refuse(element.where, "two " + std::string(kind) + " elements have the same language");
  }
}

void NcxReader::check_id(const xml::Element& element) {
  const auto id = element.attribute("id");
  if (id && !ids_.emplace(trimmed(*id)).second) {
    refuse(element.where, "the id \"" + std::string(trimmed(*id)) + "\" is used twice");
  }
}

// By the NCX schema some elements have either both id and class, or neither.
void NcxReader::check_pair(const xml::Element& element) {
  const bool has_id = element.attribute("id").has_value();
  if (has_id == element.attribute("class").has_value()) return;
  refuse(element.where, "element \"" + std::string(element.name) + "\" has " +
                            (has_id ? "an id and no class" : "a class and no id"));
}

void NcxReader::check_page(const xml::Element& element) {
  const auto value = element.attribute("value");
  const auto type = element.attribute("type");
  if (value && type && !pages_.emplace(std::string(*type) + ' ' + std::string(*value)).second) {
    refuse(element.where, "two pages have the same type and value");
  }
}

void NcxReader::text(std::string_view part, xml::Position /*where*/) {
  if (!open_.empty() && open_.back().is_text && !is_blank(part)) open_.back().has_text = true;
}

void NcxReader::end(const xml::Element& element) {
  if (open_.empty()) return;
  if (open_.back().is_text && !open_.back().has_text) document_.report("NCX-006", element.where);
  open_.pop_back();
}

void NcxReader::finish() {
  judge_identifier();
  judge_first();
  judge_gaps();
  judge_places();
}

void NcxReader::judge_identifier() {
  if (!uid_) return;
  const std::string_view uid = trimmed(*uid_);
  if (uid != *uid_) document_.report("NCX-004", {}, *uid_);
  const std::string_view identifier = trimmed(document_.book->package.identifier);
  if (document_.book->archive == nullptr || identifier.empty() || uid == identifier) return;
  document_.report("NCX-001", {},
                   "\"" + std::string(uid) + "\" here, \"" + std::string(identifier) +
                       "\" in the package document");
}

void NcxReader::judge_first() {
  const auto is_one = [](const Entry& target) { return target.is_one; };
  if (targets_.empty() || std::ranges::any_of(targets_, is_one)) return;
  refuse(targets_.front().where, "no playOrder is 1");
}

void NcxReader::judge_gaps() {
  std::unordered_set<double> orders;
  for (const Entry& target : targets_) {
    if (target.order) orders.insert(*target.order);
  }
  for (const Entry& target : targets_) {
    if (!target.order || *target.order <= 1 || orders.contains(*target.order - 1)) continue;
    refuse(target.where, "playOrder " + shown(*target.order) + " has no predecessor");
  }
}

// Entries with the same playOrder have the same target, and vice versa.
void NcxReader::judge_places() {
  std::unordered_map<double, std::string_view> places;
  std::unordered_map<std::string_view, double> orders;
  for (const Entry& target : targets_) {
    if (!target.src) continue;
    if (!target.order) {
      refuse(target.where, "playOrder is not a number");
      continue;
    }
    const auto [place, is_new_order] = places.emplace(*target.order, *target.src);
    if (!is_new_order && place->second != *target.src) {
      refuse(target.where, "playOrder " + shown(*target.order) + " points to two places");
    }
    const auto [order, is_new_place] = orders.emplace(*target.src, *target.order);
    if (!is_new_place && order->second != *target.order) {
      refuse(target.where, "two playOrder values point to \"" + *target.src + "\"");
    }
  }
}

}  // namespace tidemill::epub
