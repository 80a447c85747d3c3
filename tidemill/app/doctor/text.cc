#include "tidemill/app/doctor/text.h"

#include <algorithm>
#include <string_view>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/ui/term/paint.h"

namespace tidemill::app {
namespace {

using text::columns;

constexpr std::size_t kCheck = 12;  // "filesystem" and a gap
constexpr std::size_t kStatus = 9;
constexpr std::size_t kIndent = kCheck + kStatus;
constexpr std::size_t kNarrowest = 20;  // of the texts; a narrower terminal wraps them itself
constexpr std::string_view kArrow = "→ ";

std::string padded(std::string_view text, std::size_t width) {
  std::string cell(text);
  cell.append(width - std::min(width, columns(text)), ' ');
  return cell;
}

// The length of the part that fits: up to a space, or within a word that is too long.
std::size_t fitting(std::string_view text, std::size_t width) {
  std::size_t blank = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    std::size_t next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U) ++next;
    if (columns(text.substr(0, next)) > width) return blank > 0 ? blank : std::max(end, next - end);
    if (text[end] == ' ') blank = end;
    end = next;
  }
  return end;
}

std::vector<std::string> wrapped(std::string_view text, std::optional<std::size_t> width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t length = width ? fitting(text, *width) : text.size();
    lines.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return lines;
}

term::Colour colour_of(CheckLevel level) {
  switch (level) {
    case CheckLevel::ok:
      return term::Colour::green;
    case CheckLevel::note:
      return term::Colour::none;
    case CheckLevel::warning:
      return term::Colour::yellow;
    case CheckLevel::error:
      return term::Colour::red;
  }
  return term::Colour::none;
}

std::uint64_t count_of(const std::vector<DoctorFinding>& findings, CheckLevel level) {
  return static_cast<std::uint64_t>(std::ranges::count(findings, level, &DoctorFinding::level));
}

void write(const DoctorFinding& finding, text::JsonWriter& json) {
  json.begin_object().key("check").value(finding.check);
  json.key("status").value(name_of(finding.level)).key("found").value(finding.found);
  if (!finding.advice.empty()) json.key("advice").value(finding.advice);
  json.key("facts").begin_object();
  for (const auto& [name, measure] : finding.facts) {
    if (const auto* text = std::get_if<std::string>(&measure)) {
      json.bytes(name, *text);
    } else if (const auto* truth = std::get_if<bool>(&measure)) {
      json.key(name).value(*truth);
    } else if (const auto* number = std::get_if<double>(&measure)) {
      json.key(name).value(*number);
    } else {
      json.key(name).value(std::get<std::uint64_t>(measure));
    }
  }
  json.end_object().end_object();
}

}  // namespace

CheckLevel level_of(const std::vector<DoctorFinding>& findings) {
  CheckLevel worst = CheckLevel::ok;
  for (const DoctorFinding& finding : findings) worst = std::max(worst, finding.level);
  return worst;
}

std::string text_of(const std::vector<DoctorFinding>& findings, std::optional<std::size_t> width,
                    bool has_colour) {
  const std::string indent(kIndent, ' ');
  const auto room = [&](std::size_t taken) -> std::optional<std::size_t> {
    if (!width) return std::nullopt;
    return std::max(*width, taken + kNarrowest) - taken;
  };
  std::string text = padded("CHECK", kCheck) + padded("STATUS", kStatus) + "FOUND\n";
  for (const DoctorFinding& finding : findings) {
    const std::string_view level = name_of(finding.level);
    text += padded(finding.check, kCheck) +
            term::painted(level, colour_of(finding.level), has_colour) +
            std::string(kStatus - level.size(), ' ');
    std::string_view before;
    for (const std::string& line : wrapped(finding.found, room(kIndent))) {
      text += std::string(before) + line + "\n";
      before = indent;
    }
    std::string_view arrow = kArrow;
    for (const std::string& line : wrapped(finding.advice, room(kIndent + columns(kArrow)))) {
      text += indent + std::string(arrow) + line + "\n";
      arrow = "  ";
    }
  }
  return text;
}

std::string summary_of(const std::vector<DoctorFinding>& findings) {
  std::string text;
  for (const CheckLevel level : {CheckLevel::error, CheckLevel::warning, CheckLevel::note}) {
    const std::uint64_t count = count_of(findings, level);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + text::counted(count, name_of(level));
  }
  return text.empty() ? "no problems found" : text;
}

std::string json_of(const std::vector<DoctorFinding>& findings) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("doctor");
  json.key("status").value(name_of(level_of(findings)));
  json.key("errors").value(count_of(findings, CheckLevel::error));
  json.key("warnings").value(count_of(findings, CheckLevel::warning));
  json.key("notes").value(count_of(findings, CheckLevel::note));
  json.key("findings").begin_array();
  for (const DoctorFinding& finding : findings) write(finding, json);
  json.end_array().end_object();
  return line + "\n";
}

}  // namespace tidemill::app
