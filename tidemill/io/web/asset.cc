#include "tidemill/io/web/asset.h"

#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tidemill/io/web/header_text.h"

namespace tidemill::web {
namespace {

// Empty: it did not become smaller, or zlib is out of memory.
std::string zipped(const std::string& bytes) {
  static constexpr int kGzip = 15 + 16;  // the largest window, and a gzip header
  static constexpr int kMemory = 8;      // zlib's default
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return {};
  }
  std::string in = bytes;  // zlib takes a pointer to non-const bytes
  std::string out(bytes.size(), '\0');
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): zlib's bytes are unsigned
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  const bool is_smaller = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(is_smaller ? stream.total_out : 0);
  (void)deflateEnd(&stream);
  return out;
}

// "gzip", "gzip;q=0.5", not "gzip;q=0".
bool is_gzip(std::string_view item) {
  const auto semicolon = std::min(item.find(';'), item.size());
  if (lowered(trimmed(item.substr(0, semicolon))) != "gzip") return false;
  const auto weight = item.substr(semicolon);
  return weight.empty() || weight.find_first_of("123456789") != weight.npos;
}

}  // namespace

bool accepts_gzip(const Incoming& incoming) {
  return std::ranges::any_of(incoming.headers, [](const auto& header) {
    if (header.first != "accept-encoding") return false;
    std::string_view list = header.second;
    while (!list.empty()) {
      const auto comma = std::min(list.find(','), list.size());
      if (is_gzip(list.substr(0, comma))) return true;
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return false;
  });
}

Asset::Asset(std::string bytes, std::string type)
    : bytes_(std::move(bytes)),
      type_(std::move(type)),
      tag_(etag_of(bytes_)),
      zipped_(zipped(bytes_)) {}

WebReply Asset::reply_to(const Incoming& incoming) const {
  const bool is_zipped = !zipped_.empty() && accepts_gzip(incoming);
  WebReply reply{.body = is_zipped ? zipped_ : bytes_, .type = type_};
  if (!zipped_.empty()) reply.headers.emplace_back("Vary", "Accept-Encoding");
  if (!is_zipped) return with_etag(incoming, tag_, std::move(reply));
  WebReply answer = with_etag(incoming, tag_ + "-gzip", std::move(reply));  // other bytes
  if (answer.status == 200) answer.headers.emplace_back("Content-Encoding", "gzip");
  return answer;
}

}  // namespace tidemill::web
