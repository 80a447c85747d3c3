#include "tidemill/io/web/web_reply.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "tidemill/base/hex.h"
#include "tidemill/io/web/header_text.h"

namespace tidemill::web {
namespace {

std::string_view reason_phrase_of(int status) {
  static constexpr std::array<std::pair<int, std::string_view>, 22> kWords = {
      {{200, "OK"},
       {202, "Accepted"},
       {204, "No Content"},
       {302, "Found"},
       {303, "See Other"},
       {304, "Not Modified"},
       {400, "Bad Request"},
       {401, "Unauthorized"},
       {403, "Forbidden"},
       {404, "Not Found"},
       {405, "Method Not Allowed"},
       {409, "Conflict"},
       {411, "Length Required"},
       {413, "Content Too Large"},
       {415, "Unsupported Media Type"},
       {421, "Misdirected Request"},
       {422, "Unprocessable Content"},
       {429, "Too Many Requests"},
       {431, "Request Header Fields Too Large"},
       {500, "Internal Server Error"},
       {503, "Service Unavailable"},
       {505, "HTTP Version Not Supported"}}};
  const auto* found = std::ranges::find(kWords, status, &std::pair<int, std::string_view>::first);
  return found == kWords.end() ? "Answer" : found->second;
}

// Two headers of these names, or a wrong one, would let a client and a proxy see different answers.
bool is_ours(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kOurs = {
      "allow", "connection", "content-length",    "content-type", "keep-alive",
      "te",    "trailer",    "transfer-encoding", "upgrade"};
  return std::ranges::find(kOurs, lowered(name)) != kOurs.end();
}

// A status below 200 would announce another answer.
bool is_sound(const WebReply& reply) {
  return reply.status >= 200 && reply.status <= 599 && !has_control(reply.allow) &&
         !has_control(reply.type) && !reply.type.empty() &&
         std::ranges::all_of(reply.headers, [](const auto& header) {
           return is_token(header.first) && !is_ours(header.first) && !has_control(header.second);
         });
}

bool is_tag(std::string_view tag) {
  return std::ranges::all_of(tag, [](char c) { return c > ' ' && c <= '~' && c != '"'; });
}

// The next tag of a list, which may contain commas; nothing at the end, and where the list is
// invalid.
std::optional<std::string_view> next_tag(std::string_view& list) {
  list.remove_prefix(std::min(list.find_first_not_of(" \t,"), list.size()));
  if (list.starts_with("W/")) list.remove_prefix(2);
  if (!list.starts_with('"')) return std::nullopt;
  const auto end = list.find('"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  const auto tag = list.substr(1, end - 1);
  list.remove_prefix(end + 1);
  return tag;
}

bool lists_tag(std::string_view list, std::string_view tag) {
  if (trimmed(list) == "*") return true;
  while (const auto next = next_tag(list)) {
    if (*next == tag) return true;
  }
  return false;
}

}  // namespace

bool knows_etag(const Incoming& incoming, std::string_view tag) {
  return std::ranges::any_of(incoming.headers, [&](const auto& header) {
    return header.first == "if-none-match" && lists_tag(header.second, tag);
  });
}

WebReply with_etag(const Incoming& incoming, std::string_view tag, WebReply reply) {
  if (!is_tag(tag)) return {.status = 500, .body = "error\n"};
  reply.headers.emplace_back("ETag", '"' + std::string(tag) + '"');
  const bool is_read = incoming.method == "GET" || incoming.method == "HEAD";
  if (is_read && reply.status == 200 && knows_etag(incoming, tag)) {
    reply.status = 304;
    reply.body.clear();
  }
  return reply;
}

std::string etag_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  std::string tag;
  for (unsigned shift = 64; shift > 0;) {
    shift -= 8;
    append_hex(tag, static_cast<unsigned char>(hash >> shift));
  }
  return tag + '-' + std::to_string(bytes.size());
}

std::string bytes_of(const WebReply& reply, bool stays_open, bool has_body) {
  if (!is_sound(reply)) {
    return bytes_of({.status = 500, .body = "error\n"}, stays_open, has_body);
  }
  const bool may_have_body = reply.status != 204 && reply.status != 304;
  std::string bytes = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  bytes += reason_phrase_of(reply.status);
  if (may_have_body) {
    bytes += "\r\nContent-Length: " + std::to_string(reply.body.size());
    if (!reply.body.empty()) bytes += "\r\nContent-Type: " + reply.type;
  }
  if (!reply.allow.empty()) bytes += "\r\nAllow: " + reply.allow;
  for (const auto& [name, value] : reply.headers) bytes += "\r\n" + name + ": " + value;
  bytes += stays_open ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\nConnection: close\r\n\r\n";
  if (has_body && may_have_body) bytes += reply.body;
  return bytes;
}

}  // namespace tidemill::web
