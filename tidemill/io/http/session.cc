#include "tidemill/io/http/session.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <curl/curl.h>

#include "tidemill/base/bytes.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/http/address.h"
#include "tidemill/io/http/field.h"
#include "tidemill/io/http/message.h"

namespace tidemill::http {
namespace {

// A response that arrives in pieces. It never exceeds its limits: a function that returns false has
// stored nothing, and the response is abandoned. One thread.
class IncomingResponse {
 public:
  static constexpr std::size_t kMostHeaders = std::size_t{64} << 10U;

  explicit IncomingResponse(Bytes most_body) : most_body_(most_body.count) {}

  // One line with its line end; status lines too.
  [[nodiscard]] bool add_header(std::string_view line) {
    is_too_large_ = is_too_large_ || line.size() > kMostHeaders - header_bytes_;
    if (is_too_large_) return false;
    header_bytes_ += line.size();  // of all blocks: a server may send 100 endlessly
    auto& headers = response.headers;
    if (line.starts_with("HTTP/")) {  // an earlier block was a 1xx response
      headers.clear();
    } else if (line.starts_with(' ') || line.starts_with('\t')) {  // obsolete line folding
      const auto rest = trimmed(line);
      if (!headers.empty() && !rest.empty()) headers.back().second.append(" ").append(rest);
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
      headers.emplace_back(lower(trimmed(line.substr(0, colon))), trimmed(line.substr(colon + 1)));
    }
    return true;
  }

  [[nodiscard]] bool add_body(std::string_view part) {
    is_too_large_ = is_too_large_ || part.size() > most_body_ - response.body.size();
    if (is_too_large_) return false;
    response.body.append(part);
    return true;
  }

  [[nodiscard]] bool is_too_large() const { return is_too_large_; }

  HttpResponse response{};

 private:
  std::uint64_t most_body_;
  std::size_t header_bytes_ = 0;
  bool is_too_large_ = false;
};

constexpr long kMostConnections = 8;  // kept open for reuse

struct Free {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
// CURL and CURLM are both void to the compiler.
struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using List = std::unique_ptr<curl_slist, Free>;

// libcurl stops with CURLE_WRITE_ERROR when a callback accepts less than it was given.
std::size_t on_header(char* data, std::size_t one, std::size_t size, void* arrival) {
  const bool taken = static_cast<IncomingResponse*>(arrival)->add_header({data, one * size});
  return taken ? one * size : 0;
}

std::size_t on_body(char* data, std::size_t one, std::size_t size, void* arrival) {
  const bool taken = static_cast<IncomingResponse*>(arrival)->add_body({data, one * size});
  return taken ? one * size : CURL_WRITEFUNC_ERROR;
}

// As libcurl does it, but close-on-exec, and it stores the errno.
curl_socket_t on_open_socket(void* error, curlsocktype /*purpose*/, curl_sockaddr* address) {
  const int number = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  *static_cast<int*>(error) = number < 0 ? errno : 0;
  return number;
}

// By default libcurl resends a request, even a POST, when a reused connection ends before the
// response. But the server may have acted, and the caller must be able to check before it retries.
struct Sending {
  bool may_repeat = false;
  int times = 0;
};

int on_send(void* sending, char* /*to*/, char* /*from*/, int /*port*/, int /*own_port*/) {
  auto& [may_repeat, times] = *static_cast<Sending*>(sending);
  return ++times == 1 || may_repeat ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

std::unexpected<Failure> refuse(std::string reason) {
  return fail(Cure::give_up, "url", std::move(reason));
}

Result<void> add(List& list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return fail(Cure::retry, "connect", "not enough memory");
  (void)list.release();  // the same list, or it was empty
  list.reset(longer);
  return {};
}

// libcurl needs "Name;" for a header without a value; "Name:" would remove the header.
Result<List> lines_of(const Headers& headers) {
  List list;
  bool has_type = false;
  for (const auto& [name, value] : headers) {
    constexpr std::string_view kForbidden("\0\r\n", 3);
    if (!is_token(name)) return refuse("a header name has a character that is not allowed");
    if (std::string_view(value).find_first_of(kForbidden) != std::string_view::npos) {
      return refuse("the header " + name + " has a line break or a NUL byte in its value");
    }
    has_type = has_type || lower(name) == "content-type";
    TRY(add(list, trimmed(value).empty() ? name + ";" : name + ": " + value));
  }
  TRY(add(list, "Expect:"));  // do not wait for 100 Continue
  if (!has_type) TRY(add(list, "Content-Type:"));
  return list;
}

curl_off_t offset_of(std::uint64_t count) {
  return static_cast<curl_off_t>(
      std::min<std::uint64_t>(count, std::numeric_limits<curl_off_t>::max()));
}

long number_of(CURL* easy, CURLINFO what) {
  long number = 0;
  curl_easy_getinfo(easy, what, &number);
  return number;
}

// No byte of the request was sent, or a proxy refused the connection.
bool was_nothing_sent(CURL* easy) {
  const long proxy_said = number_of(easy, CURLINFO_HTTP_CONNECTCODE);
  return number_of(easy, CURLINFO_REQUEST_SIZE) == 0 || (proxy_said != 0 && proxy_said / 100 != 2);
}

Failure kind_of(CURLcode code, CURL* easy) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
      return {.cure = Cure::give_up, .step = "url"};
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_SSL_CONNECT_ERROR:  // also an interrupted handshake
      return {.cure = Cure::retry, .step = "connect"};
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
      return {.cure = Cure::give_up,
              .step = "tls",
              .hint = "use --ca-file FILE to name the certificates to trust"};
    case CURLE_FILESIZE_EXCEEDED:
    case CURLE_WRITE_ERROR:           // from our callbacks: too large
    case CURLE_OUT_OF_MEMORY:         // also a header line above libcurl's limit
    case CURLE_UNSUPPORTED_PROTOCOL:  // the scheme is valid: not an HTTP response
    case CURLE_WEIRD_SERVER_REPLY:
      return {.cure = Cure::give_up, .step = "answer"};
    case CURLE_ABORTED_BY_CALLBACK:  // from on_send(): it would be sent again
      return {.cure = Cure::retry, .step = "cut"};
    case CURLE_OPERATION_TIMEDOUT:
      return {.cure = Cure::retry, .step = was_nothing_sent(easy) ? "connect" : "timeout"};
    default:
      return {.cure = Cure::retry, .step = was_nothing_sent(easy) ? "connect" : "cut"};
  }
}

Result<void> start_libcurl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code == CURLE_OK) return {};
  return fail(Cure::give_up, "connect", std::string("libcurl: ") + curl_easy_strerror(code));
}

}  // namespace

struct Session::State {
  std::unique_ptr<CURLM, Free> multi{curl_multi_init()};  // owns the open connections
  std::unique_ptr<CURL, FreeEasy> easy{curl_easy_init()};
  std::array<char, CURL_ERROR_SIZE> error{};
  Sending sending{};
  int socket_error = 0;  // errno of the last socket

  void prepare(const SessionOptions& options);
  void load(const HttpRequest& request, curl_slist* headers, IncomingResponse& arrival);
  // Nothing when stopped.
  [[nodiscard]] std::optional<CURLcode> run(const std::stop_token& stop);
};

void Session::State::prepare(const SessionOptions& options) {
  CURL* const to = easy.get();
  curl_easy_reset(to);  // keeps connections
  error.front() = '\0';
  curl_easy_setopt(to, CURLOPT_ERRORBUFFER, error.data());
  curl_easy_setopt(to, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(to, CURLOPT_QUICK_EXIT, 1L);  // do not wait for a slow name server
  socket_error = 0;
  curl_easy_setopt(to, CURLOPT_OPENSOCKETFUNCTION, &on_open_socket);
  curl_easy_setopt(to, CURLOPT_OPENSOCKETDATA, &socket_error);
  curl_easy_setopt(to, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(to, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(to, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  curl_easy_setopt(to, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  curl_easy_setopt(to, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(to, CURLOPT_CONNECTTIMEOUT_MS, long{options.connect_timeout.count()});
  curl_easy_setopt(to, CURLOPT_TIMEOUT_MS, long{options.timeout.count()});
  curl_easy_setopt(to, CURLOPT_MAXFILESIZE_LARGE, offset_of(options.most_body.count));
  curl_easy_setopt(to, CURLOPT_USERAGENT, options.agent.c_str());
  if (!options.proxy.empty()) curl_easy_setopt(to, CURLOPT_PROXY, options.proxy.c_str());
  if (!options.ca_file.empty()) curl_easy_setopt(to, CURLOPT_CAINFO, options.ca_file.c_str());
}

void Session::State::load(const HttpRequest& request, curl_slist* headers,
                          IncomingResponse& arrival) {
  CURL* const to = easy.get();
  curl_easy_setopt(to, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(to, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(to, CURLOPT_HEADERFUNCTION, &on_header);
  curl_easy_setopt(to, CURLOPT_HEADERDATA, &arrival);
  curl_easy_setopt(to, CURLOPT_WRITEFUNCTION, &on_body);
  curl_easy_setopt(to, CURLOPT_WRITEDATA, &arrival);
  sending = {.may_repeat = request.method == "GET" || request.method == "HEAD"};
  curl_easy_setopt(to, CURLOPT_PREREQFUNCTION, &on_send);
  curl_easy_setopt(to, CURLOPT_PREREQDATA, &sending);
  if (request.method == "HEAD") {
    curl_easy_setopt(to, CURLOPT_NOBODY, 1L);
    return;
  }
  if (request.method != "GET" || !request.body.empty()) {
    curl_easy_setopt(to, CURLOPT_POST, 1L);
    curl_easy_setopt(to, CURLOPT_POSTFIELDSIZE_LARGE, offset_of(request.body.size()));
    curl_easy_setopt(to, CURLOPT_POSTFIELDS, request.body.data());  // not copied
  }
  curl_easy_setopt(to, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

std::optional<CURLcode> Session::State::run(const std::stop_token& stop) {
  if (curl_multi_add_handle(multi.get(), easy.get()) != CURLM_OK) return CURLE_FAILED_INIT;
  struct Remove {
    State& state;
    ~Remove() { curl_multi_remove_handle(state.multi.get(), state.easy.get()); }
  } const remove{*this};  // during an exchange this closes the connection
  const std::stop_callback wake(stop, [this] { curl_multi_wakeup(multi.get()); });

  constexpr int kLongestWait = 60'000;  // ms; libcurl shortens it to its next timeout
  int running = 1;
  while (!stop.stop_requested()) {
    if (curl_multi_perform(multi.get(), &running) != CURLM_OK) return CURLE_FAILED_INIT;
    int left = 0;
    const CURLMsg* const message = curl_multi_info_read(multi.get(), &left);
    if (message != nullptr && message->msg == CURLMSG_DONE) return message->data.result;
    if (curl_multi_poll(multi.get(), nullptr, 0, kLongestWait, nullptr) != CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
  }
  return std::nullopt;
}

Session::Session(SessionOptions options)
    : options_(std::move(options)), state_(std::make_unique<State>()) {}

Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(SessionOptions options) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24);  // fits libcurl's long
  const auto is_fine = [&](auto time) { return time.count() > 0 && time <= kLongest; };
  if (!is_fine(options.connect_timeout) || !is_fine(options.timeout)) {
    return refuse("a timeout must be more than zero and at most one day");
  }
  TRY(start_libcurl());
  std::unique_ptr<Session> session(new Session(std::move(options)));
  if (!session->state_->multi || !session->state_->easy) {
    return fail(Cure::retry, "connect", "not enough memory for libcurl");
  }
  curl_multi_setopt(session->state_->multi.get(), CURLMOPT_MAXCONNECTS, kMostConnections);
  return session;
}

Result<HttpResponse> Session::exchange(const HttpRequest& request, const std::stop_token& stop) {
  if (!is_token(request.method)) return refuse("no such method");
  LET(const HttpAddress address, address_of(request.url));
  const std::string place = address.place();
  LET(const List headers, lines_of(request.headers));

  IncomingResponse arrival(options_.most_body);
  state_->prepare(options_);
  if (options_.proxy.empty() && is_loopback(address.host)) {
    curl_easy_setopt(state_->easy.get(), CURLOPT_PROXY, "");  // ignores http_proxy too
  }
  state_->load(request, headers.get(), arrival);
  const auto code = state_->run(stop);
  if (!code) return fail(Cure::resume, "stopped", place + ": stopped during a request");
  CURL* const easy = state_->easy.get();
  if (*code == CURLE_OK) {
    arrival.response.status = static_cast<int>(number_of(easy, CURLINFO_RESPONSE_CODE));
    return std::move(arrival.response);
  }
  if (const int error = state_->socket_error; error == EMFILE || error == ENFILE) {
    return std::unexpected(Failure{.cure = Cure::retry,
                                   .kind = FailureKind::shortage,
                                   .step = "socket",
                                   .reason = place + ": " + system_text(error),
                                   .hint = "raise the limit (ulimit -n), or use fewer jobs (-j)"});
  }
  Failure failure = kind_of(*code, easy);
  const char* const said = state_->error.data();
  std::string reason = *said != '\0' ? said : curl_easy_strerror(*code);
  if (*code == CURLE_ABORTED_BY_CALLBACK) reason = "the connection was closed before the response";
  if (arrival.is_too_large() || *code == CURLE_FILESIZE_EXCEEDED) {
    reason = "the response is too large";
  }
  failure.reason = place + ": " + reason;
  return std::unexpected(std::move(failure));
}

}  // namespace tidemill::http
