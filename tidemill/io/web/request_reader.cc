#include "tidemill/io/web/request_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "tidemill/io/web/header_text.h"

namespace tidemill::web {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// Digits only; a number that does not fit is UINT64_MAX.
std::optional<std::uint64_t> size_of(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  return error == std::errc() ? size : UINT64_MAX;
}

}  // namespace

bool RequestReader::refuse(int status) {
  refusal_ = status;
  bytes_ = {};
  state_ = State::refused;
  return false;
}

RequestReader::State RequestReader::feed(std::string_view bytes) {
  if (state_ == State::refused) return state_;
  bytes_ += bytes;
  if (state_ == State::head) read_head();
  if (state_ == State::body) read_body();
  return state_;
}

bool RequestReader::read_head() {
  std::size_t empty = 0;  // some clients send an uncounted line end after a body
  while (std::string_view(bytes_).substr(empty).starts_with(kLineEnd)) empty += kLineEnd.size();
  bytes_.erase(0, empty);
  const auto end = bytes_.find(kHeadEnd, looked_);
  looked_ = bytes_.size() - std::min(bytes_.size(), kHeadEnd.size() - 1);
  if (std::min(end, looked_) > kMostHead) return refuse(431);
  if (end == std::string::npos) return false;
  std::string_view head = std::string_view(bytes_).substr(0, end);
  request_ = {};
  bool is_first = true;
  while (is_first || !head.empty()) {
    const auto line = head.substr(0, head.find(kLineEnd));
    head.remove_prefix(std::min(line.size() + kLineEnd.size(), head.size()));
    if (!(is_first ? read_first_line(line) : read_header(line))) return false;
    is_first = false;
  }
  body_at_ = end + kHeadEnd.size();
  if (!interpret_headers()) return false;
  state_ = State::body;
  return true;
}

void RequestReader::read_body() {
  if (bytes_.size() >= whole_) state_ = State::whole;
}

bool RequestReader::read_first_line(std::string_view line) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || has_control(line)) {
    return refuse(400);
  }
  const auto method = line.substr(0, first);
  const auto target = line.substr(first + 1, last - first - 1);
  const auto version = line.substr(last + 1);
  // A target has no fragment: one could hide the end of the path from a program behind us.
  if (!is_token(method) || target.empty() || target.find_first_of(" \t#") != target.npos ||
      !version.starts_with("HTTP/")) {
    return refuse(400);
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return refuse(505);
  }
  request_.method = method;
  const auto end = std::min(target.find('?'), target.size());
  request_.path = target.substr(0, end);
  request_.query = target.substr(std::min(end + 1, target.size()));
  stays_open_ = version == "HTTP/1.1";
  return true;
}

bool RequestReader::read_header(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) || has_control(line)) {
    return refuse(400);  // also refuses obsolete line folding
  }
  if (request_.headers.size() == kMostHeaders) {
    return refuse(431);
  }
  request_.headers.emplace_back(lowered(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  return true;
}

// Evaluates the headers about the body and the connection.
bool RequestReader::interpret_headers() {
  std::optional<std::uint64_t> size;
  const bool is_new = stays_open_;
  bool is_in_chunks = false;
  bool waits = false;
  for (const auto& [name, value] : request_.headers) {
    if (name == "content-length") {
      const auto length = size_of(value);
      if (!length || (size && *size != *length)) return refuse(400);
      size = length;
    }
    if (name == "transfer-encoding") is_in_chunks = true;
    if (name == "connection" && has_word(value, "close")) stays_open_ = false;
    if (name == "connection" && !is_new && has_word(value, "keep-alive")) stays_open_ = true;
    if (name == "expect" && is_new) waits = lowered(value) == "100-continue";
  }
  // With two hosts, a proxy may have checked the other one.
  const auto name_of = &std::pair<std::string, std::string>::first;
  if (std::ranges::count(request_.headers, "host", name_of) > 1) return refuse(400);
  if (is_in_chunks) return refuse(size ? 400 : 411);
  if (size.value_or(0) > body_limit().count) return refuse(413);
  whole_ = body_at_ + static_cast<std::size_t>(size.value_or(0));
  wants_word_ = waits && bytes_.size() < whole_;
  return true;
}

Bytes RequestReader::body_limit() const {
  if (!most_body_of_) return most_body_;
  return std::min(most_body_, most_body_of_(request_.method, request_.path));
}

bool RequestReader::wants_word() { return std::exchange(wants_word_, false); }

Incoming RequestReader::take() {
  Incoming taken = std::exchange(request_, {});
  taken.body = bytes_.substr(body_at_, whole_ - body_at_);
  bytes_.erase(0, whole_);
  if (bytes_.empty()) bytes_ = {};  // frees the memory of a large body
  looked_ = whole_ = body_at_ = 0;
  wants_word_ = false;
  state_ = State::head;
  if (!bytes_.empty()) feed({});
  return taken;
}

}  // namespace tidemill::web
