// The fixers of the metadata: Dublin Core names, the unique identifier, dates.
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/repair/fixers/list.h"
#include "tidemill/formats/epub/repair/fixers/package_pieces.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

// Dublin Core elements with capitals: dc:Creator can only mean dc:creator.
namespace {

bool is_element(const std::string& name) {
  static const std::unordered_set<std::string> kNames = {
      "dc:contributor", "dc:coverage",   "dc:creator",  "dc:date",      "dc:description",
      "dc:format",      "dc:identifier", "dc:language", "dc:publisher", "dc:relation",
      "dc:rights",      "dc:source",     "dc:subject",  "dc:title",     "dc:type"};
  return kNames.contains(name);
}

}  // namespace

void fix_dublin_core(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (found.package.is_oeb12 || entries_with(found, "RSC-005", "\"dc:").empty()) return;
  edit_package(found, draft, plan,
               {.name = "dublin-core",
                .repairs = {"RSC-005"},
                .what = "write the Dublin Core elements in lower case"},
               [](const PackagePieces& pieces, XmlEdit& edit) {
                 for (const Scanned& piece : pieces.all()) {
                   const std::string_view name = piece.name.in(pieces.document());
                   const std::string small = lowered(name);
                   if (small != name && is_element(small)) edit.replace(piece.name, small);
                 }
               });
}

// unique-identifier does not name a dc:identifier: if there is exactly one, it is meant.
namespace {

struct Identifiers {
  const Scanned* package = nullptr;
  const Scanned* only = nullptr;
  std::size_t count = 0;
  bool is_taken = false;  // another element has that id
};

Identifiers identifiers_of(const PackagePieces& pieces, const std::string& named) {
  Identifiers found;
  for (const Scanned& piece : pieces.all()) {
    if (pieces.is_element(piece, "package")) found.package = &piece;
    if (pieces.value(piece, "id") == named) found.is_taken = true;
    if (!pieces.is_element(piece, "identifier")) continue;
    found.only = &piece;
    ++found.count;
  }
  return found;
}

// False: more than one possible fix.
bool name_the_only(const PackagePieces& pieces, const std::string& named, XmlEdit& edit) {
  const Identifiers found = identifiers_of(pieces, named);
  if (found.count != 1 || found.package == nullptr) return false;
  const std::string_view document = pieces.document();
  if (const auto* id = found.only->attribute(document, "id")) {
    if (id->value.begin == id->value.end) return false;
    set_attribute(document, *found.package, "unique-identifier",
                  resolved_value(id->value.in(document)), edit);
    return true;
  }
  if (named.empty() || found.is_taken) return false;
  edit.insert(found.only->name.end, " id=\"" + escaped_value(named) + "\"");
  return true;
}

}  // namespace

void fix_identifier(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  for (const std::string& entry : entries_with(found, "OPF-030")) {
    bool is_left = false;
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "identifier",
                .repairs = {"OPF-030"},
                .entry = entry,
                .what = "point unique-identifier at the only dc:identifier"},
               [&](std::string_view document, XmlEdit& edit) {
                 is_left =
                     !name_the_only(PackagePieces(document), found.package.unique_identifier, edit);
               });
    if (!is_left) continue;
    plan.declined.push_back(
        {.rule = "OPF-030", .entry = entry, .why = "there is no dc:identifier, or more than one"});
  }
}

// Publication dates in another format that are unambiguous.
//
// 2015/9/2 and 20150902 have the year first, so the month follows; 22.09.2015 is unambiguous,
// because there is no month 22. 02.09.2015 can be in September or February, so it stays. So do
// ranges of years, and words.
namespace {

struct Day {
  int year = 0;
  int month = 0;
  int day = 0;
};

bool is_day(const Day& day) {
  static constexpr std::array kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return day.year >= 1000 && day.month >= 1 && day.month <= 12 && day.day >= 1 &&
         day.day <= kDays.at(static_cast<std::size_t>(day.month) - 1);
}

std::string written(const Day& day) {
  const auto two = [](int number) {
    return std::string(number < 10 ? "0" : "") + std::to_string(number);
  };
  return std::to_string(day.year) + "-" + two(day.month) + "-" + two(day.day);
}

struct Numbers {
  std::vector<std::string_view> parts{};
  char sign = 0;  // the separator, the same everywhere
};

// The numbers of "2015/9/2"; nullopt: the text has other parts.
std::optional<Numbers> numbers_of(std::string_view text) {
  Numbers numbers;
  while (true) {
    std::size_t size = 0;
    while (size < text.size() && is_digit(text[size])) ++size;
    if (size == 0 || size > 8) return std::nullopt;
    numbers.parts.push_back(text.substr(0, size));
    text.remove_prefix(size);
    if (text.empty()) return numbers;
    const char sign = text.front();
    const bool is_other = numbers.sign != 0 && numbers.sign != sign;
    if (is_other || (sign != '/' && sign != '.' && sign != '-')) return std::nullopt;
    numbers.sign = sign;
    text.remove_prefix(1);
    if (numbers.parts.size() == 3) return std::nullopt;
  }
}

int number_of(std::string_view digits) {
  int number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::optional<std::string> if_day(const Day& day) {
  return is_day(day) ? std::optional(written(day)) : std::nullopt;
}

// The date in the required format; nullopt: it is ambiguous or not a date.
std::optional<std::string> only_reading(std::string_view text) {
  const auto numbers = numbers_of(text);
  if (!numbers) return std::nullopt;
  const auto& parts = numbers->parts;
  if (parts.size() == 1 && parts[0].size() == 8) {
    return if_day({.year = number_of(parts[0].substr(0, 4)),
                   .month = number_of(parts[0].substr(4, 2)),
                   .day = number_of(parts[0].substr(6))});
  }
  if (parts.size() != 3) return std::nullopt;
  const int first = number_of(parts[0]);
  const int second = number_of(parts[1]);
  const int third = number_of(parts[2]);
  if (parts[0].size() == 4 && parts[1].size() <= 2 && parts[2].size() <= 2) {
    return second > 12 ? std::nullopt : if_day({.year = first, .month = second, .day = third});
  }
  if (parts[2].size() != 4 || parts[0].size() > 2 || parts[1].size() > 2) return std::nullopt;
  if (first > 12) return if_day({.year = third, .month = second, .day = first});
  if (second > 12) return if_day({.year = third, .month = first, .day = second});
  return first == second ? if_day({.year = third, .month = first, .day = second}) : std::nullopt;
}

// Removes empty elements, which have no meaning.
void drop_empty(const PackagePieces& pieces, XmlEdit& edit) {
  for (std::size_t at = 0; at < pieces.all().size(); ++at) {
    const Scanned& piece = pieces.all()[at];
    if (piece.kind == Scanned::Kind::end || piece.name.in(pieces.document()) != "dc:date") continue;
    const Span inside(piece.whole.end, pieces.whole_of(at).end);
    const std::string_view rest = inside.in(pieces.document());
    const bool is_empty = piece.kind == Scanned::Kind::empty || trimmed(rest) == "</dc:date>";
    if (is_empty && pieces.value(piece, "id").empty()) edit.remove(pieces.with_line(at));
  }
}

}  // namespace

void fix_dates(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (!entries_with(found, "RSC-005", "dc:date").empty() || found.findings.has("OPF-054")) {
    edit_package(found, draft, plan,
                 {.name = "dates", .repairs = {"OPF-054", "RSC-005"}, .what = "remove empty dates"},
                 drop_empty);
  }
  for (const std::string& entry : entries_with(found, "OPF-054")) {
    bool is_left = false;
    const auto correct = [&](std::string_view document, XmlEdit& edit) {
      bool is_date = false;
      for (const Scanned& piece : scan(document)) {
        const std::string_view text = trimmed(piece.whole.in(document));
        if (is_date && piece.kind == Scanned::Kind::text && !is_publication_date(text)) {
          const auto date = only_reading(text);
          is_left = is_left || !date;
          if (date) edit.replace(piece.whole, *date);
        }
        is_date = piece.kind == Scanned::Kind::start && piece.name.in(document) == "dc:date";
      }
    };
    edit_entry(draft, plan,
               {.tier = Repairability::safe,
                .name = "dates",
                .repairs = {"OPF-054"},
                .entry = entry,
                .what = "write a date that can be read in only one way as year-month-day"},
               correct);
    if (!is_left) continue;
    plan.declined.push_back(
        {.rule = "OPF-054", .entry = entry, .why = "the date is ambiguous, or not a date"});
  }
}

}  // namespace tidemill::epub
