// NcxReader: reads the NCX, the table of contents of EPUB 2, which EPUB 3 books may include for
// older reading systems.
//
// ncx_grammar() checks the content model and the values; the reader checks what a grammar cannot
// express: the identifier of the book, the play order, ids, and the targets of the entries.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class NcxReader final : public xml::Handler {
 public:
  explicit NcxReader(Document& document) : document_(document) {}

  void doctype(const xml::Doctype& doctype, xml::Position where) override;
  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void text(std::string_view part, xml::Position where) override;
  void finish();

 private:
  // An element with a play order, an entry of a list.
  struct Entry {
    std::optional<double> order{};     // nullopt: not a number
    bool is_one = false;               // written as "1"
    std::optional<std::string> src{};  // of its content element
    xml::Position where{};
  };
  // An open element.
  struct Frame {
    std::size_t target = kNone;  // in targets_
    bool is_text = false;
    bool has_text = false;
    std::unordered_set<std::string> label_languages{};
    std::unordered_set<std::string> info_languages{};
  };

  void start_ncx(const xml::Element& element, Frame& frame);
  void note_language(const xml::Element& element, std::string_view kind);
  void check_id(const xml::Element& element);
  void check_pair(const xml::Element& element);
  void check_page(const xml::Element& element);
  void judge_identifier();
  void judge_first();
  void judge_gaps();
  void judge_places();
  void refuse(xml::Position where, std::string why) {
    document_.report("RSC-005", where, std::move(why));
  }

  Document& document_;
  std::vector<Frame> open_;
  std::vector<Entry> targets_;
  std::unordered_set<std::string> ids_;
  std::unordered_set<std::string> pages_;  // type and value
  std::optional<std::string> uid_;
};

}  // namespace tidemill::epub
