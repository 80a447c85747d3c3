#include "tidemill/formats/pdf/pdf_rewrite.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>

#include "tidemill/base/try.h"
#include "tidemill/formats/pdf/fd_source.h"
#include "tidemill/formats/pdf/page_walk.h"
#include "tidemill/formats/pdf/qpdf.h"
#include "tidemill/formats/pdf/warning.h"

namespace tidemill::pdf {
namespace {

class FdSink final : public Pipeline {
 public:
  explicit FdSink(int fd) : Pipeline("output", nullptr), fd_(fd) {}

  void write(const unsigned char* data, std::size_t size) override {
    while (size > 0) {
      const ssize_t done = ::pwrite(fd_, data, size, static_cast<off_t>(written_));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) throw std::runtime_error("the output cannot be written");
      data += done;
      size -= static_cast<std::size_t>(done);
      written_ += static_cast<std::uint64_t>(done);
    }
  }
  void finish() override {}

  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  int fd_;
  std::uint64_t written_ = 0;
};

void open(QPDF& pdf, int fd) {
  pdf.setSuppressWarnings(true);
  pdf.setAttemptRecovery(true);
  pdf.processInputSource(source_of(fd));
}

bool is_signed(QPDF& pdf) {
  QPDFObjectHandle root = pdf.getRoot();
  if (root.getKey("/Perms").isDictionary()) return true;
  QPDFObjectHandle form = root.getKey("/AcroForm");
  if (!form.isDictionary()) return false;
  QPDFObjectHandle flags = form.getKey("/SigFlags");
  return flags.isInteger() && (flags.getIntValue() & 1) != 0;
}

std::optional<Failure> reason_to_decline(QPDF& pdf, const PageWalk& walk) {
  const auto decline = [](std::string reason) {
    return Failure{.cure = Cure::give_up, .step = "rewrite", .reason = std::move(reason)};
  };
  if (pdf.isEncrypted()) return decline("the file is encrypted");
  if (is_signed(pdf)) return decline("the file is signed");
  if (walk.has_loop || walk.is_too_deep) return decline("the page tree has a loop");
  if (walk.pages == 0) return decline("no page could be recovered");
  return std::nullopt;
}

// QPDFWriter corrects an existing /Size of the trailer but does not add a missing one.
void complete_trailer(QPDF& pdf) {
  QPDFObjectHandle trailer = pdf.getTrailer();
  if (!trailer.getKey("/Size").isInteger()) {
    trailer.replaceKey("/Size", QPDFObjectHandle::newInteger(1));
  }
}

// Streams keep their bytes; only the structure around them is written again.
std::uint64_t write(QPDF& pdf, int out) {
  complete_trailer(pdf);
  FdSink sink(out);
  QPDFWriter writer(pdf);
  writer.setOutputPipeline(&sink);
  writer.setStreamDataMode(qpdf_s_preserve);
  writer.setDecodeLevel(qpdf_dl_none);
  writer.setObjectStreamMode(qpdf_o_preserve);
  writer.setLinearization(pdf.isLinearized());
  writer.setDeterministicID(true);
  writer.write();
  return sink.written();
}

Result<Rewritten> rewrite(int in, int out) {
  Rewritten result;
  {
    QPDF pdf;
    open(pdf, in);
    const PageWalk walk = walk_pages(pdf);
    if (auto reason = reason_to_decline(pdf, walk)) return std::unexpected(*std::move(reason));
    result.pages_before = walk.pages;
    result.size = {write(pdf, out)};
  }
  QPDF written;
  open(written, out);
  result.pages_after = walk_pages(written).pages;
  if (result.pages_after < result.pages_before) {
    return fail(Cure::give_up, "rewrite", "pages were lost");
  }
  return result;
}

}  // namespace

Result<Rewritten> rewrite_pdf(int in, int out) {
  try {
    return rewrite(in, out);
  } catch (const std::bad_alloc&) {
    throw;  // a problem of the process, not of the file
  } catch (const QPDFExc& error) {
    return fail(Cure::give_up, "rewrite", as_ascii(error.getMessageDetail()));
  } catch (const std::exception& error) {
    return fail(Cure::give_up, "rewrite", as_ascii(error.what()));
  }
}

}  // namespace tidemill::pdf
