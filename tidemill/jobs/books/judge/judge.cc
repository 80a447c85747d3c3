#include "tidemill/jobs/books/judge/judge.h"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/checker.h"
#include "tidemill/formats/epub/grammar/grammars.h"
#include "tidemill/formats/epub/repair/mend.h"
#include "tidemill/formats/epub/words.h"
#include "tidemill/jobs/books/judge/pdf_findings.h"
#include "tidemill/jobs/books/wire.h"

namespace tidemill::books {
namespace {

// Formats of e-books that are neither EPUB nor PDF: what they are called, so that nobody is told
// that a sound MOBI is a broken EPUB.

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

struct Ending {
  std::string_view end;
  std::string_view format;
};

constexpr std::array kEndings = {
    Ending{.end = ".mobi", .format = "MOBI"}, Ending{.end = ".azw", .format = "AZW"},
    Ending{.end = ".azw3", .format = "AZW3"}, Ending{.end = ".kfx", .format = "KFX"},
    Ending{.end = ".djvu", .format = "DjVu"}, Ending{.end = ".fb2", .format = "FictionBook"},
    Ending{.end = ".cbr", .format = "CBR"},   Ending{.end = ".cb7", .format = "CB7"},
};

// `head`: the first bytes of the file, at least 68 where it has them. They count more than the
// name. Nothing: it may be an EPUB or a PDF.
std::optional<std::string_view> foreign_format(std::string_view name, std::string_view head) {
  for (const Mark& mark : kMarks) {
    if (head.size() > mark.at && head.substr(mark.at).starts_with(mark.bytes)) return mark.format;
  }
  if (epub::ends_in_any_case(name, ".cbz")) return "CBZ";
  if (head.starts_with("PK") || head.starts_with("%PDF-")) return std::nullopt;
  for (const Ending& ending : kEndings) {
    if (epub::ends_in_any_case(name, ending.end)) return ending.format;
  }
  return std::nullopt;
}

// What a request begins with.
constexpr std::uint64_t kCheck = 1;
constexpr std::uint64_t kMend = 2;

// By what it is, then by what it is called: a PDF may begin after some other bytes, and a damaged
// one may have lost its header.
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

Format format_of(epub::Edition edition, bool is_read) {
  if (!is_read) return Format::unknown;
  return edition == epub::Edition::epub2 ? Format::epub2 : Format::epub3;
}

}  // namespace

std::string encoded(const JudgeRequest& request) {
  WireWriter wire;
  wire.number(kCheck);
  wire.text(request.name);
  wire.number(static_cast<std::uint64_t>(request.profile));
  return wire.take();
}

std::string encoded(const MendRequest& request) {
  WireWriter wire;
  wire.number(kMend);
  wire.text(request.name);
  wire.number(static_cast<std::uint64_t>(request.options.profile));
  wire.number(static_cast<std::uint64_t>(request.options.most));
  for (const auto* names : {&request.options.asked, &request.options.refused}) {
    wire.number(names->size());
    for (const std::string& name : *names) wire.text(name);
  }
  return wire.take();
}

BookReport judge(const JudgeRequest& request, int book) {
  const std::string head = head_of(book);
  if (const auto format = foreign_format(request.name, head)) return not_supported(*format);
  if (is_pdf(request.name, head)) return judge_pdf(book);
  const epub::Inspection seen = epub::check_epub(book, request.name, request.profile);
  const Format format = format_of(seen.edition(), seen.package.is_read);
  BookReport report = report_of(format, seen.findings);
  report.title = seen.package.title;
  return report;
}

RepairReport mend(const MendRequest& request, const epub::MendFiles& files) {
  const std::string head = head_of(files.book);
  if (const auto format = foreign_format(request.name, head)) {
    return {.fate = Fate::declined,
            .reason = std::string(*format) + " is not supported",
            .before = not_supported(*format)};
  }
  if (is_pdf(request.name, head)) return mend_pdf(files.book, files.out);
  const epub::Mended mended = epub::mend_epub(files, request.name, request.options);
  const Format format = format_of(mended.edition, mended.is_read);
  RepairReport report{.reason = mended.refusal,
                      .before = report_of(format, mended.before),
                      .after = report_of(format, mended.after),
                      .plan = mended.plan};
  report.fate = mended.is_accepted                          ? Fate::planned
                : mended.is_failed                          ? Fate::errored
                : report.before.verdict() == Verdict::valid ? Fate::sound
                                                            : Fate::declined;
  if (report.fate == Fate::declined && report.reason.empty()) {
    report.reason = "no fixer can repair it";
  }
  return report;
}

std::string serve(std::string_view request, std::span<const int> descriptors) {
  WireReader wire(request);
  const std::uint64_t kind = wire.number();
  if (kind == kCheck && descriptors.size() == 1) {
    JudgeRequest asked{.name = std::string(wire.text())};
    asked.profile = static_cast<epub::Profile>(wire.number());
    return encoded(judge(asked, descriptors.front()));
  }
  if (kind == kMend && descriptors.size() == 4) {
    MendRequest asked{.name = std::string(wire.text())};
    asked.options.profile = static_cast<epub::Profile>(wire.number());
    asked.options.most = static_cast<epub::Mend>(wire.number());
    for (auto* names : {&asked.options.asked, &asked.options.refused}) {
      for (std::uint64_t left = wire.number(); left > 0; --left) names->emplace(wire.text());
    }
    return encoded(mend(asked, {.book = descriptors[0],
                                .out = descriptors[1],
                                .scratch = descriptors[2],
                                .spare = descriptors[3]}));
  }
  return {};  // the master never asks so; it will not understand the answer
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
