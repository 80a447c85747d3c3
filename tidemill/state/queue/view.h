// QueueView: the status of a stream of batches and its dead letters, for `tidemill queue`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/queue/stream_keys.h"

namespace tidemill::queue {

struct ConsumerView {
  std::string name{};
  std::uint64_t pending = 0;
  std::chrono::milliseconds idle{0};         // since its last request
  std::chrono::milliseconds oldest_idle{0};  // longest time since delivery of its pending batches
  std::uint64_t most_deliveries = 0;         // of its pending batches
};

struct GroupView {
  std::string name{};
  std::uint64_t pending = 0;               // delivered, not acknowledged
  std::optional<std::uint64_t> waiting{};  // not delivered yet; nullopt: the server does not know
  std::vector<ConsumerView> consumers{};
};

struct QueueStanding {
  std::uint64_t depth = 0;                                // entries in the stream
  std::optional<std::chrono::milliseconds> oldest_age{};  // of the first entry; by our clock
  std::vector<GroupView> groups{};
  std::uint64_t dead = 0;
  std::string holder{};  // of the lease: "host:pid, epoch 17"; empty: none
  std::chrono::milliseconds holds_for{0};
};

// A dead letter: a batch that a consumer gave up.
struct DeadBatch {
  std::string entry{};   // its id in the dead-letter stream
  std::string id{};      // of the batch
  std::string source{};  // its id in the stream
  std::string reason{};
  std::string consumer{};
  std::uint64_t deliveries = 0;
  WallTime at{};
  std::string payload{};
};

struct ViewOptions {
  redis::ClientOptions client{};
  std::string stream{};
};

// One thread.
class QueueView {
 public:
  [[nodiscard]] static Result<QueueView> open(ViewOptions options, const Clock& clock);

  [[nodiscard]] Result<QueueStanding> standing(const std::stop_token& stop);
  // At most `limit` dead letters after the entry `after` (empty: from the beginning).
  [[nodiscard]] Result<std::vector<DeadBatch>> dead(const std::string& after, std::size_t limit,
                                                    const std::stop_token& stop);
  // Moves a dead letter back to the end of the stream, atomically. False: no such entry.
  // Step "busy", Cure::retry: a million were put back since the producer's last batch.
  [[nodiscard]] Result<bool> retry(const std::string& entry, const std::stop_token& stop);
  // Deletes a dead letter. False: no such entry.
  [[nodiscard]] Result<bool> drop(const std::string& entry, const std::stop_token& stop);

 private:
  QueueView(std::unique_ptr<redis::Client> client, StreamKeys keys, const Clock& clock);

  std::unique_ptr<redis::Client> client_;
  StreamKeys keys_;
  const Clock* clock_;
};

}  // namespace tidemill::queue
