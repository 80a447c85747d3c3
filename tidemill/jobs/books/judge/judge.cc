#include "tidemill/jobs/books/judge/judge.h"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/checker.h"
#include "tidemill/formats/epub/grammar/grammars.h"
#include "tidemill/formats/epub/repair/book_repair.h"
#include "tidemill/formats/epub/words.h"
#include "tidemill/jobs/books/judge/pdf_findings.h"
#include "tidemill/jobs/books/messages.h"

namespace tidemill::books {
namespace {

// E-book formats other than EPUB and PDF, by name, so that a valid MOBI is not reported as a broken
// EPUB.

struct Mark {
  std::size_t at;
  std::string_view bytes;
  std::string_view format;
};

constexpr std::array kMarks = {
    Mark{.at = 60, .bytes = "BOOKMOBI", .format = "MOBI or AZW3"},
    Mark{.at = 60, .bytes = "TEXtREAd", .format = "PalmDOC"},
    Mark{.at = 0,
         .bytes = "\xea"
                  "DRMION\xee",
         .format = "KFX"},
    Mark{.at = 0, .bytes = "AT&TFORM", .format = "DjVu"},
    Mark{.at = 0, .bytes = "ITOLITLS", .format = "LIT"},
    Mark{.at = 0, .bytes = "Rar!", .format = "CBR"},
};

struct JudgeEnding {
  std::string_view end;
  std::string_view format;
};

constexpr std::array kEndings = {
    JudgeEnding{.end = ".mobi", .format = "MOBI"},
    JudgeEnding{.end = ".azw", .format = "AZW"},
    JudgeEnding{.end = ".azw3", .format = "AZW3"},
    JudgeEnding{.end = ".kfx", .format = "KFX"},
    JudgeEnding{.end = ".djvu", .format = "DjVu"},
    JudgeEnding{.end = ".fb2", .format = "FictionBook"},
    JudgeEnding{.end = ".cbr", .format = "CBR"},
    JudgeEnding{.end = ".cb7", .format = "CB7"},
};

// `head`: the first bytes of the file, at least 68 if it has them. They take precedence over the
// name, except for CBZ. Empty if the file may be an EPUB or a PDF.
std::optional<std::string_view> foreign_format(std::string_view name, std::string_view head) {
  for (const Mark& mark : kMarks) {
    if (head.size() > mark.at && head.substr(mark.at).starts_with(mark.bytes)) return mark.format;
  }
  if (epub::ends_in_any_case(name, ".cbz")) return "CBZ";
  if (head.starts_with("PK") || head.starts_with("%PDF-")) return std::nullopt;
  for (const JudgeEnding& ending : kEndings) {
    if (epub::ends_in_any_case(name, ending.end)) return ending.format;
  }
  return std::nullopt;
}

// The first number of a request.
constexpr std::uint64_t kCheck = 1;
constexpr std::uint64_t kRepair = 2;

// By contents first, then by name: a PDF may begin after some other bytes, and a damaged one may
// have lost its header.
bool is_pdf(std::string_view name, std::string_view head) {
  if (head.starts_with("PK\x03\x04")) return false;
  return head.starts_with("%PDF-") || epub::ends_in_any_case(name, ".pdf");
}

std::string head_of(int book) {
  std::string head(1024, '\0');
  const ssize_t got = ::pread(book, head.data(), head.size(), 0);
  head.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return head;
}

BookReport not_supported(std::string_view format) {
  BookReport report{.is_errored = true};
  report.add({.rule = "TIDE-021", .detail = std::string(format)});
  return report;
}

BookFormat format_of(epub::Edition edition, bool is_read) {
  if (!is_read) return BookFormat::unknown;
  return edition == epub::Edition::epub2 ? BookFormat::epub2 : BookFormat::epub3;
}

}  // namespace

std::string encoded(const JudgeRequest& request) {
  MessageWriter message;
  message.number(kCheck);
  message.text(request.name);
  message.number(static_cast<std::uint64_t>(request.profile));
  return message.take();
}

std::string encoded(const RepairRequest& request) {
  MessageWriter message;
  message.number(kRepair);
  message.text(request.name);
  message.number(static_cast<std::uint64_t>(request.options.profile));
  message.number(static_cast<std::uint64_t>(request.options.most));
  for (const auto* names : {&request.options.asked, &request.options.refused}) {
    message.number(names->size());
    for (const std::string& name : *names) message.text(name);
  }
  return message.take();
}

BookReport judge(const JudgeRequest& request, int book) {
  const std::string head = head_of(book);
  if (const auto format = foreign_format(request.name, head)) return not_supported(*format);
  if (is_pdf(request.name, head)) return judge_pdf(book);
  const epub::Inspection seen = epub::check_epub(book, request.name, request.profile);
  const BookFormat format = format_of(seen.edition(), seen.package.is_read);
  BookReport report = report_of(format, seen.findings);
  report.title = seen.package.title;
  return report;
}

RepairReport repair(const RepairRequest& request, const epub::RepairFiles& files) {
  const std::string head = head_of(files.book);
  if (const auto format = foreign_format(request.name, head)) {
    return {.fate = Fate::declined,
            .reason = std::string(*format) + " is not supported",
            .before = not_supported(*format)};
  }
  if (is_pdf(request.name, head)) return repair_pdf(files.book, files.out);
  const epub::Repaired repaired = epub::repair_epub(files, request.name, request.options);
  const BookFormat format = format_of(repaired.edition, repaired.is_read);
  RepairReport report{.reason = repaired.refusal,
                      .before = report_of(format, repaired.before),
                      .after = report_of(format, repaired.after),
                      .plan = repaired.plan};
  report.fate = repaired.is_accepted                          ? Fate::planned
                : repaired.is_failed                          ? Fate::errored
                : report.before.status() == BookStatus::valid ? Fate::sound
                                                              : Fate::declined;
  if (report.fate == Fate::declined && report.reason.empty()) {
    report.reason = "no fixer can repair it";
  }
  return report;
}

std::string serve(std::string_view request, std::span<const int> descriptors) {
  MessageReader message(request);
  const std::uint64_t kind = message.number();
  if (kind == kCheck && descriptors.size() == 1) {
    JudgeRequest asked{.name = std::string(message.text())};
    asked.profile = static_cast<epub::Profile>(message.number());
    return encoded(judge(asked, descriptors.front()));
  }
  if (kind == kRepair && descriptors.size() == 4) {
    RepairRequest asked{.name = std::string(message.text())};
    asked.options.profile = static_cast<epub::Profile>(message.number());
    asked.options.most = static_cast<epub::Repairability>(message.number());
    for (auto* names : {&asked.options.asked, &asked.options.refused}) {
      for (std::uint64_t left = message.number(); left > 0; --left) names->emplace(message.text());
    }
    return encoded(repair(asked, {.book = descriptors[0],
                                  .out = descriptors[1],
                                  .scratch = descriptors[2],
                                  .spare = descriptors[3]}));
  }
  return {};  // the parent never sends this; it rejects the empty answer
}

void warm_up() {
  using epub::Grammar;
  for (const Grammar& (*grammar)() :
       {epub::xhtml5_grammar, epub::xhtml11_grammar, epub::nav_grammar, epub::svg_grammar,
        epub::ncx_grammar, epub::overlay_grammar, epub::package2_grammar, epub::package3_grammar,
        epub::container_grammar, epub::encryption_grammar}) {
    static_cast<void>(grammar());
  }
}

}  // namespace tidemill::books
