// Stub: the whole server without its sockets. Requests come in as values, answers go out as values;
// server.cc carries them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/docs/stub/chat.h"
#include "tests/docs/stub/faults.h"
#include "tests/docs/stub/meter.h"
#include "tests/docs/stub/world.h"

namespace tidemill::docs_stub {

struct Answer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  enum class End : std::uint8_t { whole, cut, half } end = End::whole;
};

struct Options {
  int port = 0;
  std::string key = "ol_api_" + std::string(38, 'a');
  Rows rows{};
  Limits limits{};
  std::string webhook{};
  std::string webhook_secret{};
  bool until_eof = false;
};

// A webhook that is to be sent.
struct Delivery {
  std::string id{};
  std::string body{};
  std::string signature{};
};

// Thread-safe. One lock for all; it is not held while an answer waits.
class Stub {
 public:
  explicit Stub(Options options)
      : options_(std::move(options)), world_(options_.rows), meter_(options_.limits) {}

  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] Answer api(const std::string& endpoint, const std::string& authorization,
                           const std::string& body);
  [[nodiscard]] Answer chat(const std::string& body);
  [[nodiscard]] Answer control(const std::string& name, const std::string& body);
  [[nodiscard]] Checked<Delivery> delivery(const std::string& body);  // of /control/hook
  void stop();  // answers that wait are given now

 private:
  using Lock = std::unique_lock<std::mutex>;

  [[nodiscard]] Checked<Json> served(const std::string& endpoint, const std::string& authorization,
                                     const std::string& body, const Ruling& ruling);
  [[nodiscard]] Answer answered(Answer answer);
  void human_follows(const std::string& endpoint, const Json& result);
  [[nodiscard]] Checked<Json> controlled(const std::string& name, const Json& body);
  [[nodiscard]] Checked<void> edit(const Json& body);
  [[nodiscard]] Checked<void> anchor(const Json& body);
  [[nodiscard]] Checked<void> set_human(const Json& body);
  [[nodiscard]] Checked<void> set_down(const Json& body);
  void wait(Lock& lock, std::int64_t ms);
  void gather(Lock& lock);

  const Options options_;
  std::atomic<int> inside_ = 0;  // requests, those too that wait for the lock
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopped_ = false;  // all below: under the lock
  World world_;
  Meter meter_;
  Faults faults_;
  Chat chat_;
  std::int64_t human_every_ = 0;
  std::string human_line_;
  std::string human_title_;
  std::int64_t infos_ = 0;  // since the human was set
  std::int64_t human_lines_ = 0;
  std::int64_t down_until_ = 0;
  bool is_closing_ = false;     // while down
  std::int64_t gathering_ = 0;  // requests that are to come before it is down and any is answered
  std::int64_t gathers_after_ = 0;  // so many effects
};

}  // namespace tidemill::docs_stub
