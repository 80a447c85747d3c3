// QueueView: how a stream of batches stands, and its dead letters: for `tidemill queue`.
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
  std::chrono::milliseconds idle{0};         // since it last asked
  std::chrono::milliseconds oldest_idle{0};  // of its pending batches: since the last delivery
  std::uint64_t most_deliveries = 0;         // of its pending batches
};

struct GroupView {
  std::string name{};
  std::uint64_t pending = 0;               // delivered, not done
  std::optional<std::uint64_t> waiting{};  // not delivered yet; nothing: the server cannot tell
  std::vector<ConsumerView> consumers{};
};

struct QueueStanding {
  std::uint64_t depth = 0;                                // entries in the stream
  std::optional<std::chrono::milliseconds> oldest_age{};  // of the first entry; by our clock
  std::vector<GroupView> groups{};
  std::uint64_t dead = 0;
  std::string holder{};  // of the lease: "host:pid, epoch 17"; empty: nobody
  std::chrono::milliseconds holds_for{0};
};

// A batch that was given up by a consumer.
struct DeadBatch {
  std::string entry{};   // its id in the list of the dead
  std::string id{};      // of the batch
  std::string source{};  // its entry in the stream
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
  // At most `limit` behind `after` (an entry; empty: from the beginning).
  [[nodiscard]] Result<std::vector<DeadBatch>> dead(const std::string& after, std::size_t limit,
                                                    const std::stop_token& stop);
  // Puts it back at the end of the stream and out of the dead, in one stroke. False: it was gone.
  // Step "busy", Cure::retry: a million were put back since the producer's last batch.
  [[nodiscard]] Result<bool> retry(const std::string& entry, const std::stop_token& stop);
  // Forgets it. False: it was gone.
  [[nodiscard]] Result<bool> drop(const std::string& entry, const std::stop_token& stop);

 private:
  QueueView(std::unique_ptr<redis::Client> client, StreamKeys keys, const Clock& clock);

  std::unique_ptr<redis::Client> client_;
  StreamKeys keys_;
  const Clock* clock_;
};

}  // namespace tidemill::queue
