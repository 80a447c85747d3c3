// The floor of checking e-books: every XML document of every book inflated and parsed, and nothing
// looked at. What a checker costs beyond it is its own.
//
//   books_floor BOOK...
#include <fcntl.h>
#include <libxml/parser.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/formats/zip/archive.h"

namespace {

std::uint64_t elements = 0;

void count(void* /*context*/, const xmlChar* /*name*/, const xmlChar* /*prefix*/,
           const xmlChar* /*uri*/, int /*namespaces*/, const xmlChar** /*declared*/,
           int /*attributes*/, int /*defaulted*/, const xmlChar** /*values*/) {
  ++elements;
}

bool is_xml(std::string_view name) {
  for (const std::string_view end :
       {".xhtml", ".html", ".htm", ".xml", ".opf", ".ncx", ".svg", ".smil"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

// By zlib, in one call: the usual way, and not ours.
bool inflate(const tidemill::zip::Archive& archive, const tidemill::zip::ZipEntry& entry,
             std::string& out) {
  std::string packed;
  const auto read = archive.read_raw(entry, [&](std::string_view part) {
    packed += part;
    return true;
  });
  if (!read) return false;
  if (entry.method == 0) {
    out = std::move(packed);
    return true;
  }
  out.resize(entry.size);
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = ::inflate(&stream, Z_FINISH);
  ::inflateEnd(&stream);
  const auto crc = ::crc32_z(0, reinterpret_cast<const Bytef*>(out.data()), out.size());
  return code == Z_STREAM_END && crc == entry.crc;
}

std::uint64_t parse(const std::string& document) {
  xmlSAXHandler sax{};
  sax.initialized = XML_SAX2_MAGIC;
  sax.startElementNs = count;
  xmlSAXUserParseMemory(&sax, nullptr, document.data(), static_cast<int>(document.size()));
  return document.size();
}

}  // namespace

int main(int count_of_books, char** names) {
  std::uint64_t bytes = 0;
  std::uint64_t documents = 0;
  for (int at = 1; at < count_of_books; ++at) {
    const tidemill::Descriptor file(::open(names[at], O_RDONLY | O_CLOEXEC));
    const auto archive = tidemill::zip::Archive::open(file.number());
    if (!archive) continue;
    for (const auto& entry : archive->entries()) {
      if (!is_xml(entry.name)) continue;
      std::string document;
      if (!inflate(*archive, entry, document)) continue;
      bytes += parse(document);
      ++documents;
    }
  }
  std::printf("%d books, %llu documents, %llu bytes, %llu elements\n", count_of_books - 1,
              static_cast<unsigned long long>(documents), static_cast<unsigned long long>(bytes),
              static_cast<unsigned long long>(elements));
}
