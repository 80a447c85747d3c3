// Any bytes as a pattern (up to the first NUL) and any bytes after it as a path: compiling and
// matching must terminate, stay within their memory, and be consistent.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tidemill/io/walk/filter/globs.h"

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::size_t cut = input.find('\0');
  const std::string_view pattern = input.substr(0, cut);
  const std::string_view path = cut == input.npos ? input : input.substr(cut + 1);
  const auto glob = tidemill::walk::Glob::compile(pattern);
  if (!glob) return 0;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool for_folder = glob->matches(path, name, true);
  // A pattern that matches a file matches a folder of the same name too.
  if (glob->matches(path, name, false) && !for_folder) std::abort();
  // A pattern without special characters matches itself and nothing else.
  if (pattern.find_first_of("*?[{\\/") == pattern.npos && for_folder != (name == pattern)) {
    std::abort();
  }
  return 0;
}
