// EducationRules: the rules for content documents of an EDUPUB publication: every section has a
// heading of the right rank, subtitles are in a header, and groups contain the right members.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class EducationRules {
 public:
  explicit EducationRules(const Document& document) : document_(document) {}

  void start(const xml::Element& element);
  void end(const xml::Element& element);
  void text(std::string_view part);
  void finish();

 private:
  enum class Part : std::uint8_t { other, body, section, article, aside, nav, header, quote };
  struct Frame {
    Part part = Part::other;
    bool has_label = false;      // has aria-label
    std::string label{};         // aria-label, white space normalized
    std::uint32_t headings = 0;  // that belong to this section
    bool is_heading = false;
    bool heading_is_empty = false;  // the first heading has no text
    std::string heading{};          // the text of the first heading
    bool has_section = false;       // a child so far is a section
    bool has_title = false;         // a child so far is h1…h6
    bool has_other = false;         // body: a child is not an article, section, aside or nav
    bool has_loose = false;         // body: a child is not an article or section
    std::size_t group = 0;          // 1 + position in kGroups; 0: not a group
    std::uint32_t members = 0;
    std::uint32_t answers = 0;
    std::uint32_t questions = 0;
  };
  struct Heading {
    double rank = 0;
    std::uint32_t depth = 0;  // sections, articles, asides, navs around it
    bool may_be_top = false;
    bool is_nested = false;  // in a section, article or nav
    xml::Position where{};
  };

  static Part part_of(std::string_view name);
  void enter(Part part);
  void note_words(const xml::Element& element, Frame& frame);
  void note_parent(const xml::Element& element, const Frame& frame, bool is_title);
  void open_heading(const xml::Element& element);
  void close_heading(Frame& frame);
  void judge_section(const Frame& frame, const xml::Element& element) const;
  void judge_group(const Frame& frame, const xml::Element& element) const;
  void count_members(std::string_view type);
  void report(xml::Position where, std::string_view sentence) const;

  const Document& document_;
  std::vector<Frame> open_;
  std::vector<std::size_t> sections_;  // positions of open body, section, article, aside, nav
  std::vector<std::size_t> groups_;    // positions of open groups
  std::vector<Heading> headings_;
  std::uint32_t parts_ = 0;  // open sections and articles
  std::uint32_t sides_ = 0;  // open asides and navs
  std::uint32_t navs_ = 0;
  std::uint32_t quotes_ = 0;  // open figures and blockquotes
  std::uint32_t headers_ = 0;
  std::string heading_text_;
  bool in_heading_ = false;
  bool heading_has_words_ = false;
  std::string body_label_;
  bool body_is_section_ = false;
  bool has_microdata_ = false;
  bool has_rdfa_ = false;
  xml::Position microdata_{};
};

}  // namespace tidemill::epub
