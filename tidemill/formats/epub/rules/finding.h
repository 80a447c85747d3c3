// Finding: one thing wrong with a book, and Findings: all of them, with a bound.
//
// A book can have a million faults. Of each rule the first places are kept (kKept); the rest is
// counted, so the numbers are always true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/rules/rule_id.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// Where in the book: an entry of the archive (empty: the whole book), and where in it.
struct Place {
  std::string entry{};
  xml::Position at{};

  auto operator<=>(const Place&) const = default;
};

struct Finding {
  RuleId rule;
  Place place{};
  std::string
      detail{};  // what exactly: the name, the value; plain text, may hold any bytes of the book

  bool operator==(const Finding&) const = default;
};

// One thread.
class Findings {
 public:
  static constexpr std::size_t kKept = 200;  // places of one rule

  void add(RuleId rule, Place place, std::string detail = {});
  void add(RuleId rule, std::string_view entry, xml::Position at, std::string detail = {});

  // What was found elsewhere, as if it were found now.
  void take(Findings from);

  // In the order they were found.
  [[nodiscard]] const std::vector<Finding>& kept() const { return kept_; }
  [[nodiscard]] std::uint64_t count(RuleId rule) const;  // with those not kept
  [[nodiscard]] std::uint64_t count(Severity severity) const;
  [[nodiscard]] bool has(RuleId rule) const { return count(rule) > 0; }
  // Neither an error nor a fatal one.
  [[nodiscard]] bool is_valid() const;

 private:
  std::vector<Finding> kept_;
  std::vector<std::uint64_t> counts_;  // by the rule's index
};

}  // namespace tidemill::epub
