#include "tidemill/formats/pdf/pdf_check.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/formats/pdf/fd_source.h"
#include "tidemill/formats/pdf/page_walk.h"
#include "tidemill/formats/pdf/qpdf.h"
#include "tidemill/formats/pdf/stream_check.h"
#include "tidemill/formats/pdf/warning.h"

namespace tidemill::pdf {
namespace {

// Where readers look first.
constexpr std::size_t kHeaderWithin = 1024;    // readers search only this far
constexpr std::size_t kEndWithin = 1U << 20U;  // an %%EOF further away does not count as the end

constexpr std::array<std::string_view, 9> kVersions = {"1.0", "1.1", "1.2", "1.3", "1.4",
                                                       "1.5", "1.6", "1.7", "2.0"};

std::string read_piece(int fd, std::uint64_t offset, std::size_t length) {
  std::string piece(length, '\0');
  std::size_t done = 0;
  while (done < length) {
    const ssize_t got =
        ::pread(fd, piece.data() + done, length - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  piece.resize(done);
  return piece;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_blank(char c) {
  return c == '\0' || c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == ' ';
}

// "1.7" of "%PDF-1.7"; empty: no digits follow.
std::string version_after(std::string_view text) {
  std::string version;
  for (const char c : text.substr(0, 8)) {
    if (!is_digit(c) && c != '.') break;
    version += c;
  }
  return version;
}

void check_header(int fd, PdfReport& report) {
  const std::string head = read_piece(fd, 0, kHeaderWithin);
  const std::size_t at = head.find("%PDF-");
  if (at == std::string::npos) {
    report.findings.push_back({.code = Code::no_header, .text = "no %PDF- in the first bytes"});
    return;
  }
  report.version = version_after(std::string_view(head).substr(at + 5));
  if (at > 0) {
    report.findings.push_back({.code = Code::bytes_around,
                               .offset = 0,
                               .text = std::to_string(at) + " bytes before the header"});
  }
  if (std::ranges::find(kVersions, report.version) == kVersions.end()) {
    report.findings.push_back(
        {.code = Code::unusual_header, .offset = at, .text = "version '" + report.version + "'"});
  }
}

void check_end(int fd, PdfReport& report) {
  const std::uint64_t size = size_of(fd);
  const std::uint64_t from = size > kEndWithin ? size - kEndWithin : 0;
  const std::string tail = read_piece(fd, from, static_cast<std::size_t>(size - from));
  const std::size_t at = tail.rfind("%%EOF");
  if (at == std::string::npos) {
    report.findings.push_back(
        {.code = Code::truncated, .offset = size, .text = "no %%EOF at the end"});
    return;
  }
  const std::string_view rest = std::string_view(tail).substr(at + 5);
  if (std::ranges::all_of(rest, is_blank)) return;
  report.findings.push_back({.code = Code::bytes_around,
                             .offset = from + at + 5,
                             .text = std::to_string(rest.size()) + " bytes after the end"});
}

// Checks the header and the end of the file; sets `report.version`.
void check_edges(int fd, PdfReport& report) {
  check_header(fd, report);
  check_end(fd, report);
}

constexpr std::uint64_t kMostDropped = 10'000;  // dropped findings after which the check stops

// `next` maps each object stream to the one that it extends.
bool has_cycle(const std::map<int, int>& next) {
  std::set<int> done;
  for (const auto& [start, unused] : next) {
    std::set<int> path;
    for (auto at = next.find(start); at != next.end(); at = next.find(at->second)) {
      if (done.contains(at->first)) break;
      if (!path.insert(at->first).second) return true;
    }
    done.merge(path);
  }
  return false;
}

// The object numbers of the streams that contain other objects.
std::set<int> object_streams(QPDF& pdf) {
  std::set<int> numbers;
  for (const auto& [id, entry] : pdf.getXRefTable()) {
    if (entry.getType() == 2) numbers.insert(entry.getObjStreamNumber());
  }
  return numbers;
}

// The state of one check. After each part, libqpdf's new warnings become findings.
class Check {
 public:
  Check(int fd, const PdfLimits& limits, PdfReport& report)
      : fd_(fd), limits_(limits), report_(report) {}

  void run() {
    check_edges(fd_, report_);
    if (!attempt([&] { open(); }, Code::unreadable)) return;
    attempt([&] { check_encryption(); }, Code::other_warning);
    if (!attempt([&] { check_catalog(); }, Code::no_catalog)) return;
    attempt([&] { check_pages(); }, Code::damaged_page_tree);
    attempt([&] { check_linearization(); }, Code::damaged_linearization);
    attempt([&] { check_objects(); }, Code::damaged_object);
  }

 private:
  void report(PdfFinding finding) {
    if (report_.findings.size() < limits_.findings) {
      report_.findings.push_back(std::move(finding));
    } else {
      ++report_.not_kept;
    }
  }

  void take_warnings() {
    for (const QPDFExc& warning : pdf_.getWarnings()) {  // also clears them
      if (auto finding = finding_of(warning)) report(*std::move(finding));
    }
  }

  // True if `part` completed. An exception of libqpdf becomes the finding `code`, or a more exact
  // one.
  template <class Part>
  bool attempt(Part part, Code code) {
    try {
      part();
      take_warnings();
      return true;
    } catch (const QPDFExc& error) {
      take_warnings();
      report_thrown(error, code);
    } catch (const std::bad_alloc&) {
      throw;  // says nothing about the file: the caller handles it
    } catch (const std::exception& error) {
      take_warnings();
      report({.code = code, .text = as_ascii(error.what())});
    }
    return false;
  }

  void report_thrown(const QPDFExc& error, Code code) {
    PdfFinding finding = finding_of(error).value_or(PdfFinding{.text = "damaged"});
    if (error.getErrorCode() == qpdf_e_password) {
      report_.is_encrypted = true;
    } else if (error.getErrorCode() == qpdf_e_unsupported) {
      finding.code = Code::needs_password;
      report_.is_encrypted = true;
    } else if (finding.code != Code::reference_loop && finding.code != Code::no_catalog) {
      if (code == Code::unreadable) report(finding);  // the details come before the general finding
      finding.code = code;
    }
    report(std::move(finding));
  }

  void open() {
    pdf_.setSuppressWarnings(true);  // they are kept, not printed
    pdf_.setAttemptRecovery(true);
    pdf_.processInputSource(source_of(fd_));
  }

  void check_encryption() {
    if (!pdf_.isEncrypted()) return;
    report_.is_encrypted = true;
    report({.code = Code::encrypted, .text = "opens with the empty password"});
  }

  void check_catalog() {
    QPDFObjectHandle root = pdf_.getRoot();
    if (!root.getKey("/Pages").isDictionary()) {
      report({.code = Code::no_catalog, .text = "the catalog does not name a page tree"});
    }
    const QPDFObjectHandle form = root.getKey("/AcroForm");
    if (is_signed_form(form) || root.getKey("/Perms").isDictionary()) report_.is_signed = true;
  }

  static bool is_signed_form(QPDFObjectHandle form) {
    if (!form.isDictionary()) return false;
    QPDFObjectHandle flags = form.getKey("/SigFlags");
    return flags.isInteger() && (flags.getIntValue() & 1) != 0;
  }

  void check_pages() {
    const PageWalk walk = walk_pages(pdf_);
    report_.pages = walk.pages;
    if (walk.has_loop) {
      report({.code = Code::reference_loop, .text = "the page tree has a loop"});
    }
    if (walk.has_strangers) {
      report({.code = Code::damaged_page_tree, .text = "a child that is not a page"});
    }
    if (walk.is_too_deep) {
      report({.code = Code::damaged_page_tree, .text = "the page tree is too deep"});
    }
    if (walk.pages == 0) report({.code = Code::no_pages, .text = "there is no page"});
    is_tree_valid_ = !walk.has_loop && !walk.is_too_deep;
    if (is_tree_valid_) (void)pdf_.getAllPages();  // for its warnings
  }

  void check_linearization() {
    if (!pdf_.isLinearized()) return;
    report_.is_linearized = true;
    if (!is_tree_valid_) return;
    if (!pdf_.checkLinearization() && pdf_.numWarnings() == 0) {
      report(
          {.code = Code::damaged_linearization, .text = "the hint tables do not match the file"});
    }
  }

  void check_objects() {
    StreamCheck streams(limits_, size_of(fd_));
    object_streams_ = object_streams(pdf_);
    for (const auto& [id, entry] : pdf_.getXRefTable()) {
      attempt(
          [&] {
            QPDFObjectHandle object = pdf_.getObjectByObjGen(id);
            check_object(object, streams);
            forget(object);
          },
          Code::damaged_object);
      if (report_.not_kept > kMostDropped) break;
    }
    if (has_cycle(extends_)) {
      report({.code = Code::reference_loop, .text = "object streams extend each other"});
    }
    if (report_.is_signed) report({.code = Code::is_signed, .text = "has a signature"});
  }

  // libqpdf keeps every object that it has read, about 2 KiB each. This is the last part of the
  // check, so checked objects can be dropped. Scalars stay: they are small, and may be the length
  // of a later stream. Object streams stay too: their members may be read later. A stream whose
  // filters are in a separate array object may then not be decoded, which is rare.
  void forget(QPDFObjectHandle& object) {
    if (object.isScalar()) return;
    if (object.isStream() && object_streams_.contains(object.getObjectID())) return;
    pdf_.replaceObject(object.getObjGen(), QPDFObjectHandle::newNull());
  }

  void check_object(QPDFObjectHandle& object, StreamCheck& streams) {
    if (object.isDictionary()) {
      if (object.isDictionaryOfType("/Sig") && object.hasKey("/ByteRange")) {
        report_.is_signed = true;
      }
      return;
    }
    if (!object.isStream()) return;
    const QPDFObjectHandle extended = object.getDict().getKey("/Extends");
    if (extended.isIndirect()) extends_[object.getObjectID()] = extended.getObjectID();
    take_warnings();
    const auto exceeded = streams.decode(object);
    if (!exceeded) return;
    (void)pdf_.getWarnings();  // they only report our own limit
    report({.code = Code::stream_too_large,
            .object = static_cast<std::uint32_t>(object.getObjectID()),
            .text = *exceeded});
  }

  int fd_;
  const PdfLimits& limits_;
  PdfReport& report_;
  QPDF pdf_;
  bool is_tree_valid_ = false;
  std::set<int> object_streams_;
  std::map<int, int> extends_;  // object streams, by number
};

}  // namespace

bool PdfReport::has(Code code) const {
  return std::ranges::any_of(findings, [&](const PdfFinding& one) { return one.code == code; });
}

PdfReport check_pdf(int fd, const PdfLimits& limits) {
  PdfReport report;
  Check(fd, limits, report).run();
  return report;
}

}  // namespace tidemill::pdf
