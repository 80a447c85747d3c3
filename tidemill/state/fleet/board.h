// FleetBoard: what the processes of a fleet say about themselves: coordinators publish their runs,
// workers announce themselves, and people pause runs and drain hosts. It holds no tasks
// (redis_fleet.h does); if Redis forgets it, everybody says it again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/fleet/fleet_key.h"
#include "tidemill/state/fleet/roots.h"

namespace tidemill::fleet {

// What a task of a run needs to be done: a stage of a job. Workers that have the same name, version
// and tables do the same with it.
struct RecipeId {
  std::string name{};  // "each"
  std::uint32_t version = 1;
  std::string digest{};  // of the tables it uses (token tables, rules); empty: none

  bool operator==(const RecipeId&) const = default;
};
[[nodiscard]] std::string text_of(const RecipeId& recipe);  // "each/1", "tokens/2 (a1b2c3d4)"

// A run, as its coordinator publishes it. Signed.
struct PublishedRun {
  std::string name{};  // unique among all runs of all hosts
  std::string id{};    // as its own host knows it: 20261119-0331
  std::string host{};  // of the coordinator
  std::string user{};
  RecipeId recipe{};
  std::string settings{};  // of the recipe: any bytes
  std::vector<FleetRoot> roots{};
  std::uint32_t weight = 1;                // its share of the places, beside other runs
  std::chrono::milliseconds term{30'000};  // a silent worker loses its parcels after it

  bool operator==(const PublishedRun&) const = default;
};

struct RunRefusal {
  std::string run{};  // its name
  std::string why{};

  bool operator==(const RunRefusal&) const = default;
};

// A worker process, as it announces itself. Not signed: it is only shown.
struct FleetHost {
  std::string consumer{};  // unique to the process
  std::string host{};
  std::int64_t pid = 0;
  std::string version{};  // of the program
  std::uint32_t places = 0;
  std::uint32_t busy = 0;
  std::uint64_t done = 0;  // tasks that it has ended
  std::vector<RecipeId> recipes{};
  std::vector<RunRefusal> refusals{};

  bool operator==(const FleetHost&) const = default;
};

// How much of a run is in Redis.
struct FleetWindow {
  bool is_known = false;  // the server has its stream
  std::uint64_t epoch = 0;
  std::uint64_t waiting = 0;  // parcels
  std::uint64_t held = 0;
  std::uint64_t reports = 0;
  std::uint64_t workers = 0;  // that confirmed themselves within the term
  std::uint64_t forged = 0;   // removed, because their signature was not valid

  bool operator==(const FleetWindow&) const = default;
};

// One thread.
class FleetBoard {
 public:
  // The client must outlive it.
  FleetBoard(redis::Client& client, std::string fleet, FleetKey key);
  ~FleetBoard();
  FleetBoard(const FleetBoard&) = delete;
  FleetBoard& operator=(const FleetBoard&) = delete;

  [[nodiscard]] Result<void> publish(const PublishedRun& run);
  [[nodiscard]] Result<void> withdraw(const std::string& run);
  // The same, with its parcels and reports: for a run that no coordinator will continue. False:
  // there was nothing of it.
  [[nodiscard]] Result<bool> remove(const std::string& run);

  struct Listed {
    PublishedRun run{};  // only `name`, if it is not genuine
    bool is_genuine = false;
    bool is_signed = false;  // by whatever key
    bool is_paused = false;
    // Since its coordinator has published it, by the server's clock; zero if that is not known.
    std::chrono::milliseconds age{0};
  };
  // By name. Runs that are not signed with our key are listed, so that they can be named.
  struct Listing {
    std::vector<Listed> runs{};
    std::vector<std::string> drained{};  // hosts
  };
  [[nodiscard]] Result<Listing> runs();

  [[nodiscard]] Result<void> announce(const FleetHost& host);
  [[nodiscard]] Result<void> leave(const std::string& consumer);
  struct Announced {
    FleetHost host{};
    std::chrono::milliseconds age{0};  // since it last announced itself
  };
  // By host and pid; those older than `most` are removed from the board. One that this program
  // cannot read is listed with only its consumer.
  [[nodiscard]] Result<std::vector<Announced>> hosts(std::chrono::milliseconds most);

  [[nodiscard]] Result<void> pause(const std::string& run, bool is_paused);
  [[nodiscard]] Result<void> drain(const std::string& host, bool is_drained);

  [[nodiscard]] Result<FleetWindow> window(const PublishedRun& run);

 private:
  redis::Client& client_;
  const std::string fleet_;
  const FleetKey key_;
};

}  // namespace tidemill::fleet
