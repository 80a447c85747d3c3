#include "tidemill/formats/epub/content/xhtml/dictionary.h"

#include <array>
#include <string>
#include <utility>

#include "tidemill/formats/epub/content/xhtml/tags.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

enum Type : std::uint32_t {
  dictionary = 1U << 0U,
  dictentry = 1U << 1U,
  condensed = 1U << 2U,
  speech_list = 1U << 3U,
  speech_group = 1U << 4U,
  speech = 1U << 5U,
  sense_list = 1U << 6U,
  tran = 1U << 7U,
  tran_info = 1U << 8U,
  idiom = 1U << 9U,
  phrase_list = 1U << 10U,
  phrase_group = 1U << 11U,
  example = 1U << 12U,
};

enum Want : std::uint32_t { article = 1, word = 2, part_of_speech = 4, phrase = 8 };

using Named = std::pair<std::string_view, Type>;

constexpr auto kTypes = std::to_array<Named>({
    {"dictionary", dictionary},
    {"dictentry", dictentry},
    {"condensed-entry", condensed},
    {"part-of-speech-list", speech_list},
    {"part-of-speech-group", speech_group},
    {"part-of-speech", speech},
    {"sense-list", sense_list},
    {"tran", tran},
    {"tran-info", tran_info},
    {"idiom", idiom},
    {"phrase-list", phrase_list},
    {"phrase-group", phrase_group},
    {"example", example},
});

std::uint32_t types_of(std::string_view words) {
  std::uint32_t types = 0;
  for (auto one = next_word(words); !one.empty(); one = next_word(words)) {
    for (const auto& [name, type] : kTypes) {
      if (name == one) types |= type;
    }
  }
  return types;
}

}  // namespace

// The parts that an element of these types, or at this position, must contain.
std::uint32_t DictionaryRules::wants_of(const Frame& frame, bool is_item, std::uint32_t around) {
  std::uint32_t wants = 0;
  if ((frame.types & dictionary) != 0) wants |= article;
  if ((frame.types & dictentry) != 0 || (frame.is_article && (around & dictionary) != 0)) {
    wants |= word;
  }
  if ((frame.types & speech_group) != 0 || (is_item && (around & speech_list) != 0)) {
    wants |= part_of_speech;
  }
  if ((frame.types & phrase_group) != 0 || (is_item && (around & phrase_list) != 0)) {
    wants |= phrase;
  }
  return wants;
}

void DictionaryRules::report(xml::Position where, std::string_view sentence) const {
  document_.report_if_whole("RSC-005", where, std::string(sentence));
}

void DictionaryRules::start(const xml::Element& element) {
  const bool is_ours = element.ns == kXhtmlNamespace;
  const auto type = element.attribute("type", kOpsNamespace);
  const bool is_item = is_ours && element.name == "li";
  Frame frame{.types = is_ours ? types_of(type.value_or("")) : 0,
              .is_article = is_ours && element.name == "article",
              .is_scope = is_ours && (type.has_value() || is_item)};
  const Frame* const parent = open_.empty() ? nullptr : &open_.back();
  const std::uint32_t around = parent == nullptr ? 0 : parent->types;
  frame.is_condensed =
      (frame.types & condensed) != 0 || (parent != nullptr && parent->is_condensed);
  if (parent != nullptr) frame.near = parent->is_scope ? open_.size() : parent->near;
  frame.wants |= wants_of(frame, is_item, around);
  if (frame.types != 0) check_place(frame, element);
  if (is_ours) satisfy(frame, element.name);
  if (!open_.empty()) {
    if ((frame.types & tran) != 0) open_.back().has_tran = true;
    if ((frame.types & tran_info) != 0) open_.back().tran_infos.push_back(element.where);
  }
  open_.push_back(std::move(frame));
}

void DictionaryRules::check_place(const Frame& frame, const xml::Element& element) const {
  const std::string_view name = element.name;
  const auto only = [&](Type type, bool fits, std::string_view sentence) {
    if ((frame.types & type) != 0 && !fits) report(element.where, sentence);
  };
  only(dictionary, name == "body" || name == "section", "a dictionary must be a body or a section");
  only(dictentry, name == "article", "a dictionary entry must be an article");
  only(condensed, name == "aside", "a condensed-entry must be an aside");
  only(speech_list, name == "ol", "a part-of-speech-list must be an ol");
  only(sense_list, name == "ol", "a sense-list must be an ol");
  only(idiom, name == "dfn", "an idiom must be a dfn");
  only(phrase_list, name == "ol" || name == "ul", "a phrase-list must be an ol or a ul");
  if ((frame.types & condensed) == 0) return;
  const bool is_in_entry = open_.size() >= 2 && open_.back().is_article &&
                           (open_[open_.size() - 2].types & dictionary) != 0;
  if (!is_in_entry) report(element.where, "a condensed-entry is allowed only in an entry");
  const auto hidden = element.attribute("hidden");
  if (!hidden || (!hidden->empty() && !same_in_any_case(*hidden, "hidden"))) {
    report(element.where, "a condensed-entry must be hidden");
  }
}

// Records the element as a required part of its ancestors. Words and phrases may be nested deeper;
// end() passes them to the parent.
void DictionaryRules::satisfy(const Frame& frame, std::string_view name) {
  if (open_.empty()) return;
  if (frame.is_article) open_.back().wants &= ~static_cast<std::uint32_t>(article);
  if ((frame.types & speech) != 0 && frame.near > 0) {
    open_[frame.near - 1].wants &= ~static_cast<std::uint32_t>(part_of_speech);
  }
  if (name == "dfn" && !frame.is_condensed) open_.back().found |= word;
  if ((frame.types & (example | idiom)) != 0) open_.back().found |= phrase;
}

void DictionaryRules::end(const xml::Element& element) {
  if (open_.empty()) return;
  Frame frame = std::move(open_.back());
  open_.pop_back();
  if (!open_.empty()) open_.back().found |= frame.found;
  frame.wants &= ~frame.found;
  if ((frame.wants & article) != 0) report(element.where, "a dictionary has no article");
  if ((frame.wants & word) != 0) report(element.where, "a dictionary entry has no dfn");
  if ((frame.wants & part_of_speech) != 0) {
    report(element.where, "a part-of-speech-group has no part-of-speech");
  }
  if ((frame.wants & phrase) != 0) report(element.where, "a phrase-group has no idiom or example");
  if (frame.has_tran) return;
  for (const xml::Position where : frame.tran_infos) report(where, "a tran-info has no tran");
}

}  // namespace tidemill::epub
