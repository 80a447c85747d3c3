// Reads any bytes as a tokenizer.json: accepted or refused, never a crash. A fuzzer hardly finds
// 256 valid tokens, so half of the inputs are inserted as the merges of an otherwise complete file.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/formats/tokens/hf/file.h"
#include "tidemill/formats/tokens/hf/merges.h"

namespace {

std::string whole_file(std::string_view middle) {
  std::string file =
      R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"model":{"vocab":{)";
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 0x100; ++byte) {
    const bool is_shown = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
    const unsigned code = is_shown ? byte : next++;
    file += '"';
    if (code == '"' || code == '\\') file += '\\';
    if (code < 0x80) {
      file += static_cast<char>(code);
    } else {
      file += static_cast<char>(0xc0U | code >> 6U);
      file += static_cast<char>(0x80U | (code & 0x3fU));
    }
    file += "\":" + std::to_string(byte) + ',';
  }
  return file + R"("ab":256,"bc":257,"abc":258,"aa":259,"aaa":260,"aaaa":261},"merges":[)" +
         std::string(middle) + "]}}";
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto file =
      tidemill::tokens::read_hf_file(data[0] % 2 == 0 ? std::string(input) : whole_file(input));
  if (file) static_cast<void>(tidemill::tokens::plan_of(*std::move(file)));
  return 0;
}
