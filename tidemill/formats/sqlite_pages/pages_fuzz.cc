// Builds a set of tables from any bytes: the file must pass SQLite's integrity check and contain
// the same rows.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

#include "tidemill/base/result.h"
#include "tidemill/formats/sqlite_pages/sample_tables.h"

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::string path = "/dev/shm/pages_fuzz_" + std::to_string(::getpid());
  ::unlink(path.c_str());
  const auto same = tidemill::sqlite_pages::try_tables(input, path, 1, size % 4 == 0);
  ::unlink(path.c_str());
  if (!same) {
    std::fputs((tidemill::text_of(same.error()) + "\n").c_str(), stderr);
    std::abort();
  }
  return 0;
}
