#include "tidemill/formats/epub/package/dictionary_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

void report(Inspection& book, RuleId rule, xml::Position at, std::string detail = {}) {
  book.findings.add(rule, book.package.path, at, std::move(detail));
}

bool has_dictionary(const Inspection& book, std::string_view path) {
  const auto found = book.traits.find(path);
  return found != book.traits.end() && found->second.has_dictionary;
}

void check_dictionary(Inspection& book, const Collection& dictionary) {
  bool has_keys = false;
  bool has_content = false;
  for (const MetadataLink& link : dictionary.links) {
    const Item* item = book.package.item_at(link.target.path);
    if (item == nullptr) {
      report(book, "OPF-081", link.at, link.href);
    } else if (item->media_type == kSearchKeyType) {
      if (has_keys) report(book, "OPF-082", link.at, link.href);
      has_keys = true;
    } else if (item->media_type != kXhtmlType) {
      report(book, "OPF-084", link.at, link.href);
    } else {
      has_content = has_content || has_dictionary(book, item->path);
    }
  }
  if (!has_keys) report(book, "OPF-083", dictionary.at);
  if (!has_content && book.archive != nullptr) report(book, "OPF-078", dictionary.at);
}

// An index and its groups, however deep they are nested.
void check_index(Inspection& book, const Collection& index) {
  std::vector<const Collection*> waiting = {&index};
  while (!waiting.empty()) {
    const Collection& one = *waiting.back();
    waiting.pop_back();
    if (!has_word(one.role, "index") && !has_word(one.role, "index-group")) continue;
    for (const MetadataLink& link : one.links) {
      const Item* item = book.package.item_at(link.target.path);
      if (item == nullptr || item->media_type != kXhtmlType) {
        report(book, "OPF-071", link.at, link.href);
      }
    }
    for (const Collection& part : one.parts) waiting.push_back(&part);
  }
}

void check_preview(Inspection& book, const Collection& preview) {
  for (const MetadataLink& link : preview.links) {
    const Item* item = book.package.item_at(link.target.path);
    if (item == nullptr || !is_content_document(item->media_type, Edition::epub3)) {
      report(book, "OPF-075", link.at, link.href);
    } else if (link.target.fragment.starts_with("epubcfi(")) {
      report(book, "OPF-076", link.at, link.href);
    }
  }
}

// What the book calls itself against what is in it.
void check_type(Inspection& book) {
  const bool is_declared = book.package.is_of_type("dictionary");
  const auto content = std::ranges::find_if(
      book.traits, [](const auto& pair) { return pair.second.has_dictionary; });
  const bool has_content = content != book.traits.end();
  if (has_content && !is_declared) book.findings.add("OPF-079", content->first, {});
  if (!has_content && (is_declared || book.profile == Profile::dictionary)) {
    report(book, "OPF-078", {});
  }
}

}  // namespace

void check_dictionaries(Inspection& book) {
  if (book.edition() != Edition::epub3) return;
  for (const Collection& collection : book.package.collections) {
    if (has_word(collection.role, "dictionary")) check_dictionary(book, collection);
    if (has_word(collection.role, "index")) check_index(book, collection);
    if (has_word(collection.role, "preview")) check_preview(book, collection);
  }
  if (book.archive != nullptr) check_type(book);
}

}  // namespace tidemill::epub
