// Any bytes as what a client sends: the reader must terminate, hold no more than its limits, and
// read the same requests, up to the same refusal, however the bytes are split. A request that was
// read, written out again, is read as the same request. The same bytes as a form, as a path and as
// a list of tags: what is accepted is written so that it is read again as the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/io/web/form.h"
#include "tidemill/io/web/path.h"
#include "tidemill/io/web/request_reader.h"
#include "tidemill/io/web/web_reply.h"

namespace {

using namespace tidemill;
using namespace tidemill::web;
using State = RequestReader::State;

constexpr Bytes kMostBody{300};
constexpr std::size_t kHeadEnd = 4;

void demand(bool holds) {
  if (!holds) std::abort();
}

struct Read {
  Incoming request{};
  bool stays_open = false;
  bool operator==(const Read& other) const {
    return request.method == other.request.method && request.path == other.request.path &&
           request.query == other.request.query && request.headers == other.request.headers &&
           request.body == other.request.body && stays_open == other.stays_open;
  }
};

struct ReadInPieces {
  std::vector<Read> requests{};
  State state = State::head;
  int refusal = 0;
  bool operator==(const ReadInPieces&) const = default;
};

RequestReader new_reader() {
  return RequestReader(kMostBody, [](std::string_view method, std::string_view path) {
    return method == "GET" || path.empty() ? Bytes{} : Bytes{path.size() * 64};
  });
}

// `fed`: bytes given so far and not taken out as requests.
void check_state(const RequestReader& reader, std::size_t fed) {
  demand(reader.held() <= fed);
  demand(reader.is_empty() == (reader.held() == 0));
  demand((reader.state() == State::refused) == (reader.refusal() != 0));
  switch (reader.state()) {
    case State::head:
      demand(reader.held() < RequestReader::kMostHead + kHeadEnd);
      break;
    case State::body:
      demand(reader.held() < RequestReader::kMostHead + kHeadEnd + kMostBody.count);
      break;
    case State::whole:
      break;
    case State::refused:
      demand(reader.held() == 0);
      static constexpr int kStatuses[] = {400, 411, 413, 431, 505};
      demand(std::ranges::find(kStatuses, reader.refusal()) != std::end(kStatuses));
      break;
  }
}

void check_request(const Incoming& one) {
  demand(!one.method.empty());
  demand(one.headers.size() <= RequestReader::kMostHeaders);
  demand(one.body.size() <= kMostBody.count);
  demand(one.method != "GET" || one.body.empty());
  demand((one.path + one.query).find_first_of(" \t\r\n#") == std::string::npos);
  demand(one.path.find('?') == std::string::npos);
  for (const auto& [name, value] : one.headers) {
    demand(!name.empty() && value.find_first_of(std::string_view("\r\n\0", 3)) == value.npos);
  }
}

ReadInPieces read_in_pieces(std::string_view bytes, std::size_t piece) {
  RequestReader reader = new_reader();
  ReadInPieces seen;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    const std::size_t fed = reader.held() + part.size();
    demand(reader.feed(part) == reader.state());
    check_state(reader, fed);
    while (reader.state() == State::whole) {
      const std::size_t before = reader.held();
      const bool stays_open = reader.stays_open();
      (void)reader.wants_word();
      demand(!reader.wants_word());
      seen.requests.push_back({.request = reader.take(), .stays_open = stays_open});
      check_request(seen.requests.back().request);
      demand(reader.held() < before);
      check_state(reader, before);
    }
  }
  seen.state = reader.state();
  seen.refusal = reader.refusal();
  return seen;
}

// Read again, it is equal. The version is in stays_open and the headers.
void check_rewritten(const Read& one) {
  const Incoming& request = one.request;
  const auto written = [&](std::string_view version, bool has_query) {
    std::string bytes = request.method + ' ' + request.path;
    if (has_query) bytes += '?' + request.query;
    bytes += ' ' + std::string(version) + "\r\n";
    for (const auto& [name, value] : request.headers) bytes += name + ": " + value + "\r\n";
    return bytes + "\r\n" + request.body;
  };
  const bool has_query = !request.query.empty() || request.path.empty();
  bool is_equal = false;
  for (const char* version : {"HTTP/1.1", "HTTP/1.0"}) {
    const std::string bytes = written(version, has_query);
    if (bytes.size() > RequestReader::kMostHead) return;  // the spaces that we add count too
    const ReadInPieces again = read_in_pieces(bytes, bytes.size());
    demand(again.refusal == 0 && again.requests.size() == 1 && again.state == State::head);
    is_equal = is_equal || again.requests.front() == one;
  }
  demand(is_equal);
}

void check_form(std::string_view bytes) {
  const FormLimits limits{.most_fields = 10, .most_bytes = kib(1)};
  const auto form = parse_form(bytes, limits);
  if (form) {
    demand(form->fields.size() <= limits.most_fields && bytes.size() <= limits.most_bytes.count);
    const auto again = parse_form(text_of(*form));
    demand(again && *again == *form);
  }
  const auto bare = percent_decoded(bytes);
  if (bare) demand(percent_decoded(percent_encoded(*bare)) == *bare);
  demand(percent_decoded(percent_encoded(bytes)) == std::string(bytes));
}

void check_path(std::string_view bytes) {
  const auto segments = segments_of(bytes);
  if (!segments) return;
  std::string again;
  for (const std::string& name : *segments) {
    demand(!name.empty() && name != "." && name != "..");
    demand(name.find_first_of(std::string_view("/\\\0\r\n", 5)) == name.npos);
    again += '/' + percent_encoded(name);
  }
  demand(segments_of(again.empty() ? "/" : again) == *segments);
}

// Whatever a header is made of, the answer has one head, and only the lines that it may have.
void check_reply(std::string_view bytes) {
  const std::string text(bytes);
  const std::vector<WebReply> replies = {{.allow = text},
                                         {.body = "a\n", .type = text},
                                         {.headers = {{"X-A", text}}},
                                         {.headers = {{text, "b"}}}};
  for (const WebReply& reply : replies) {
    static constexpr std::string_view kEnd = "\r\n\r\n";
    const std::string sent = bytes_of(reply, true, true);
    const std::size_t end = sent.find(kEnd) + kEnd.size();
    const std::string_view body = std::string_view(sent).substr(end);
    demand(body.empty() || body == "a\n" || body == "error\n");
    demand(std::ranges::count(sent.substr(0, end), '\n') <= 5);
  }
  (void)knows_etag({.headers = {{"if-none-match", text}}}, "tag");
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const ReadInPieces whole = read_in_pieces(bytes, std::max<std::size_t>(size, 1));
  for (const std::size_t piece : {1U, 7U}) demand(read_in_pieces(bytes, piece) == whole);
  for (const Read& one : whole.requests) {
    check_rewritten(one);
    check_form(one.request.query);
    check_path(one.request.path);
  }
  check_form(bytes);
  check_path(bytes);
  check_reply(bytes);
  return 0;
}
