#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/formats/pdf/pdf_check.h"
#include "tidemill/formats/pdf/pdf_rewrite.h"

namespace tidemill::pdf {
namespace {

std::string deflated(std::string_view bytes) {
  std::string packed(compressBound(bytes.size()), '\0');
  uLongf size = packed.size();
  EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                      reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9),
            Z_OK);
  packed.resize(size);
  return packed;
}

std::string stream_of(std::string_view bytes, std::string_view more = "") {
  return "<< /Length " + std::to_string(bytes.size()) + " " + std::string(more) + " >>\nstream\n" +
         std::string(bytes) + "\nendstream";
}

// Builds a PDF from objects 1, 2, ... with a correct cross-reference table.
struct PdfDraft {
  std::vector<std::string> objects;
  std::string header = "%PDF-1.7\n";
  std::string trailer_more = "";

  [[nodiscard]] std::string text() const {
    std::string pdf = header;
    std::vector<std::size_t> offsets;
    for (std::size_t at = 0; at < objects.size(); ++at) {
      offsets.push_back(pdf.size());
      pdf += std::to_string(at + 1) + " 0 obj\n" + objects[at] + "\nendobj\n";
    }
    const std::size_t table = pdf.size();
    const std::string size = std::to_string(objects.size() + 1);
    pdf += "xref\n0 " + size + "\n0000000000 65535 f \n";
    for (const std::size_t offset : offsets) {
      std::string digits = std::to_string(offset);
      digits.insert(0, 10 - digits.size(), '0');
      pdf += digits + " 00000 n \n";
    }
    return pdf + "trailer\n<< /Size " + size + " /Root 1 0 R " + trailer_more + ">>\nstartxref\n" +
           std::to_string(table) + "\n%%EOF\n";
  }
};

PdfDraft two_pages() {
  return {.objects = {"<< /Type /Catalog /Pages 2 0 R >>",
                      "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
                      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R >>",
                      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
                      stream_of(deflated("0 0 m 9 9 l S"), "/Filter /FlateDecode")}};
}

Descriptor file_with(std::string_view text) {
  Descriptor file(::memfd_create("pdf", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(file.number(), text.data(), text.size(), 0),
            static_cast<ssize_t>(text.size()));
  return file;
}

std::string contents(const Descriptor& file) {
  std::string text;
  char piece[4096];
  ssize_t got = 0;
  while ((got = ::pread(file.number(), piece, sizeof piece, static_cast<off_t>(text.size()))) > 0) {
    text.append(piece, static_cast<std::size_t>(got));
  }
  return text;
}

PdfReport check(std::string_view text, const PdfLimits& limits = {}) {
  const Descriptor file = file_with(text);
  return check_pdf(file.number(), limits);
}

std::vector<Code> codes(const PdfReport& report) {
  std::vector<Code> codes;
  for (const PdfFinding& finding : report.findings) {
    if (std::ranges::find(codes, finding.code) == codes.end()) codes.push_back(finding.code);
  }
  return codes;
}

using Codes = std::vector<Code>;

std::string replaced(std::string text, std::string_view old, std::string_view with) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return at == std::string::npos ? text : text.replace(at, old.size(), with);
}

TEST(PdfCheck, AValidFileHasNoFindings) {
  const PdfReport report = check(two_pages().text());
  EXPECT_EQ(codes(report), Codes{});
  EXPECT_EQ(report.pages, 2U);
  EXPECT_EQ(report.version, "1.7");
  EXPECT_FALSE(report.is_encrypted || report.is_signed || report.is_linearized);
}

TEST(PdfCheck, ChecksTheHeader) {
  PdfDraft draft = two_pages();
  draft.header = "%PDF-3.9\n";
  EXPECT_EQ(codes(check(draft.text())), Codes{Code::unusual_header});
  draft.header = "from: somebody\n%PDF-1.4\n";
  EXPECT_TRUE(check(draft.text()).has(Code::bytes_around));
  draft.header = "%PDX-1.4\n";
  EXPECT_TRUE(check(draft.text()).has(Code::no_header));
}

TEST(PdfCheck, ChecksTheEndOfTheFile) {
  const std::string sound = two_pages().text();
  EXPECT_EQ(codes(check(sound + "and more")), Codes{Code::bytes_around});
  EXPECT_EQ(codes(check(sound + " \r\n")), Codes{});
  const PdfReport cut = check(std::string_view(sound).substr(0, sound.size() * 7 / 10));
  EXPECT_TRUE(cut.has(Code::truncated));
  EXPECT_TRUE(cut.has(Code::damaged_xref));
}

TEST(PdfCheck, ReportsAFileThatIsNotAPdfAsUnreadable) {
  for (const std::string& text : {std::string(), std::string("hello"), std::string(70'000, 'x')}) {
    const PdfReport report = check(text);
    EXPECT_TRUE(report.has(Code::no_header));
    EXPECT_TRUE(report.has(Code::unreadable));
    EXPECT_FALSE(report.pages);
  }
}

TEST(PdfCheck, ReportsADamagedXrefTableAndStillCountsPages) {
  const std::string sound = two_pages().text();
  const std::size_t at = sound.find("startxref\n") + 10;
  const PdfReport report = check(sound.substr(0, at) + "7\n%%EOF\n");
  EXPECT_EQ(codes(report), Codes{Code::damaged_xref});
  EXPECT_EQ(report.pages, 2U);
  const PdfReport moved = check(replaced(sound, "/Catalog /Pages", "/Catalog   /Pages"));
  EXPECT_TRUE(moved.has(Code::damaged_xref));
  EXPECT_EQ(moved.pages, 2U);
}

TEST(PdfCheck, ReportsADamagedStreamWithItsObject) {
  PdfDraft draft = two_pages();
  std::string packed = deflated(std::string(5'000, 'a') + "0 0 m");
  packed[8] = static_cast<char>(packed[8] ^ 0x55);
  draft.objects[4] = stream_of(packed, "/Filter /FlateDecode");
  const PdfReport report = check(draft.text());
  ASSERT_EQ(codes(report), Codes{Code::damaged_stream});
  EXPECT_EQ(report.findings[0].object, 5U) << report.findings[0].text;
}

TEST(PdfCheck, ReportsAStreamWithAWrongLength) {
  PdfDraft draft = two_pages();
  draft.objects[4] = "<< /Length 999 >>\nstream\n0 0 m\nendstream";
  EXPECT_TRUE(check(draft.text()).has(Code::damaged_stream));
}

TEST(PdfCheck, StopsDecodingADecompressionBomb) {
  PdfDraft draft = two_pages();
  const std::string once = deflated(std::string(8U << 20U, '\0'));
  draft.objects[4] = stream_of(once, "/Filter /FlateDecode");
  EXPECT_EQ(codes(check(draft.text())), Codes{});
  EXPECT_EQ(codes(check(draft.text(), {.stream = mib(4)})), Codes{Code::stream_too_large});
  EXPECT_EQ(codes(check(draft.text(), {.all_streams = mib(4)})), Codes{Code::stream_too_large});
  draft.objects[4] =
      stream_of(deflated(deflated(once)), "/Filter [/FlateDecode /FlateDecode /FlateDecode]");
  EXPECT_EQ(codes(check(draft.text())), Codes{Code::stream_too_large});
}

TEST(PdfCheck, ReportsLoopsInThePageTree) {
  PdfDraft draft = two_pages();
  draft.objects[3] = "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 3 0 R] /Count 1 >>";
  const PdfReport report = check(draft.text());
  EXPECT_EQ(codes(report), Codes{Code::reference_loop});
  EXPECT_EQ(report.pages, 2U);
}

TEST(PdfCheck, SurvivesADeepPageTree) {
  PdfDraft draft{.objects = {"<< /Type /Catalog /Pages 2 0 R >>"}};
  for (int number = 2; number < 20'000; ++number) {
    draft.objects.push_back("<< /Type /Pages /Count 1 /Kids [" + std::to_string(number + 1) +
                            " 0 R] >>");
  }
  draft.objects.emplace_back("<< /Type /Page >>");
  EXPECT_TRUE(check(draft.text()).has(Code::damaged_page_tree));
}

TEST(PdfCheck, ReportsMissingPagesOrCatalog) {
  PdfDraft draft{
      .objects = {"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"}};
  EXPECT_EQ(codes(check(draft.text())), Codes{Code::no_pages});
  draft.objects[0] = "<< /Type /Catalog >>";
  EXPECT_TRUE(check(draft.text()).has(Code::no_catalog));
}

TEST(PdfCheck, ReportsALoopOfXrefTables) {
  PdfDraft draft = two_pages();
  const std::string plain = draft.text();
  const std::size_t table = plain.rfind("xref\n0");
  draft.trailer_more = "/Prev " + std::to_string(table) + " ";
  EXPECT_TRUE(check(draft.text()).has(Code::reference_loop));
}

TEST(PdfCheck, ReportsALoopOfObjectStreams) {
  PdfDraft draft = two_pages();
  draft.objects.push_back(stream_of("", "/Type /ObjStm /N 0 /First 0 /Extends 7 0 R"));
  draft.objects.push_back(stream_of("", "/Type /ObjStm /N 0 /First 0"));
  EXPECT_EQ(codes(check(draft.text())), Codes{});
  draft.objects[6] = stream_of("", "/Type /ObjStm /N 0 /First 0 /Extends 6 0 R");
  EXPECT_EQ(codes(check(draft.text())), Codes{Code::reference_loop});
}

// Nothing refers to the object in the stream, so it is read after the stream was checked.
TEST(PdfCheck, KeepsAnObjectStreamUntilItsMembersAreRead) {
  PdfDraft draft = two_pages();
  draft.objects.push_back(stream_of("8 0 << /A 1 >>", "/Type /ObjStm /N 1 /First 4"));
  const std::string entry{'\2', '\6', '\0'};  // in an object stream, which is object 6, the first
  draft.objects.push_back(stream_of(entry, "/Type /XRef /W [1 1 1] /Index [8 1] /Size 9"));
  draft.trailer_more = "/XRefStm " + std::to_string(draft.text().find("7 0 obj")) + " ";
  EXPECT_FALSE(check(draft.text()).has(Code::damaged_object));
}

TEST(PdfCheck, AnUnknownSecurityHandlerNeedsAPassword) {
  PdfDraft draft = two_pages();
  draft.objects.emplace_back("<< /Filter /Nobody /V 9 /R 9 /O (o) /U (u) /P 0 >>");
  draft.trailer_more = "/Encrypt 6 0 R /ID [(a) (a)] ";
  const PdfReport report = check(draft.text());
  EXPECT_TRUE(report.has(Code::needs_password));
  EXPECT_TRUE(report.is_encrypted);
}

TEST(PdfCheck, ReportsASignedFile) {
  PdfDraft draft = two_pages();
  draft.objects[0] = "<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [] >> >>";
  EXPECT_EQ(codes(check(draft.text())), Codes{Code::is_signed});
}

TEST(PdfCheck, KeepsABoundedNumberOfFindings) {
  PdfDraft draft = two_pages();
  for (int more = 0; more < 50; ++more) draft.objects.push_back("<< /A >> junk");
  const PdfReport report = check(draft.text(), {.findings = 10});
  EXPECT_EQ(report.findings.size(), 10U);
  EXPECT_GT(report.not_kept, 0U);
}

struct OpenCopy {
  Result<Rewritten> result;
  std::string text;
};

OpenCopy rewritten(std::string_view text) {
  const Descriptor in = file_with(text);
  const Descriptor out = file_with("");
  auto result = rewrite_pdf(in.number(), out.number());
  return {.result = std::move(result), .text = contents(out)};
}

TEST(PdfRewrite, ARepairedFileIsValidAndKeepsItsPages) {
  const std::string sound = two_pages().text();
  for (const std::string& damaged :
       {replaced(sound, "/Catalog /Pages", "/Catalog   /Pages"),
        std::string(sound.substr(0, sound.find("xref\n0"))) + "trailer << /Root 1 0 R >>"}) {
    ASSERT_NE(codes(check(damaged)), Codes{});
    const OpenCopy copy = rewritten(damaged);
    ASSERT_TRUE(copy.result) << text_of(copy.result.error());
    EXPECT_EQ(copy.result->pages_before, 2U);
    EXPECT_EQ(copy.result->pages_after, 2U);
    EXPECT_EQ(copy.result->size.count, copy.text.size());
    const PdfReport report = check(copy.text);
    EXPECT_EQ(codes(report), Codes{});
    EXPECT_EQ(report.pages, 2U);
  }
}

TEST(PdfRewrite, IsDeterministicAlsoForARewrittenFile) {
  const OpenCopy first = rewritten(two_pages().text());
  EXPECT_EQ(first.text, rewritten(two_pages().text()).text);
  EXPECT_NE(first.text.find(deflated("0 0 m 9 9 l S")), std::string::npos)
      << "the stream was changed";
  const OpenCopy second = rewritten(first.text);
  EXPECT_EQ(second.text, rewritten(first.text).text);
  EXPECT_EQ(codes(check(second.text)), Codes{});
}

TEST(PdfRewrite, DeclinesFilesItWouldDamage) {
  EXPECT_FALSE(rewritten("hello").result);
  PdfDraft draft = two_pages();
  draft.objects[0] = "<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [] >> >>";
  EXPECT_FALSE(rewritten(draft.text()).result);
  draft = two_pages();
  draft.objects[1] = "<< /Type /Pages /Kids [2 0 R] /Count 1 >>";
  EXPECT_FALSE(rewritten(draft.text()).result);
  draft.objects[1] = "<< /Type /Pages /Kids [] /Count 0 >>";
  EXPECT_FALSE(rewritten(draft.text()).result);
}

}  // namespace
}  // namespace tidemill::pdf
