// The judge: what a cell does with a book. Runs where nothing can be opened and memory is short:
// all it has are the descriptors that came with the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/mend.h"
#include "tidemill/jobs/books/report/book_report.h"
#include "tidemill/jobs/books/report/repair_report.h"

namespace tidemill::books {

struct JudgeRequest {
  std::string name{};  // of the file, for its extension
  epub::Profile profile = epub::Profile::none;
};

struct MendRequest {
  std::string name{};
  epub::MendOptions options{};
};

[[nodiscard]] std::string encoded(const JudgeRequest& request);
[[nodiscard]] std::string encoded(const MendRequest& request);

// The book behind the descriptor: a format that is not supported or a PDF, by the first bytes and
// the name, else an EPUB.
[[nodiscard]] BookReport judge(const JudgeRequest& request, int book);

// The same, mended into `files.out`. Its fate is planned when that has a better book.
[[nodiscard]] RepairReport mend(const MendRequest& request, const epub::MendFiles& files);

// For sandbox::Nursery: a request and its descriptors in, a BookReport or a RepairReport out.
[[nodiscard]] std::string serve(std::string_view request, std::span<const int> descriptors);

// Reads all grammars, so that cells forked later have them.
void warm_up();

}  // namespace tidemill::books
