#include "tidemill/app/version.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <isa-l.h>
#include <libxml/parser.h>
#include <openssl/crypto.h>
#include <qpdf/qpdf-c.h>
#include <simdjson.h>
#include <sqlite3.h>
#include <unicode/uversion.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace tidemill::app {
namespace {

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string xml_version() {
  const std::string_view text = xmlParserVersion;  // "20914", in builds of its authors "20914-GIT…"
  int number = 0;
  const auto [rest, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc()) return std::string(text);
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

std::string icu_version() {
  std::array<std::uint8_t, U_MAX_VERSION_LENGTH> parts{};
  std::array<char, U_MAX_VERSION_STRING_LENGTH> text{};
  u_getVersion(parts.data());
  u_versionToString(parts.data(), text.data());
  return text.data();
}

std::string as_built(int major, int minor, int patch) {
  return fmt::format("{}.{}.{} (when built)", major, minor, patch);
}

}  // namespace

std::string about_this_build() {
  using Part = std::pair<std::string_view, std::string>;
  const Part parts[] = {
      {"commit", kCommit},
      {"compiler", compiler()},
      {"sqlite", sqlite3_libversion()},
      {"curl", curl_version_info(CURLVERSION_NOW)->version},
      {"openssl", OpenSSL_version(OPENSSL_FULL_VERSION_STRING)},
      {"zlib", zlibVersion()},
      {"zstd", ZSTD_versionString()},
      {"libxml2", xml_version()},
      {"icu", icu_version()},
      {"qpdf", qpdf_get_qpdf_version()},
      {"hiredis", as_built(HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH)},
      {"simdjson", as_built(simdjson::SIMDJSON_VERSION_MAJOR, simdjson::SIMDJSON_VERSION_MINOR,
                            simdjson::SIMDJSON_VERSION_REVISION)},
      {"isa-l", as_built(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION)},
      {"fmt", as_built(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
  };
  std::string text;
  for (const auto& [name, version] : parts) text += fmt::format("{:<10} {}\n", name, version);
  return text;
}

}  // namespace tidemill::app
