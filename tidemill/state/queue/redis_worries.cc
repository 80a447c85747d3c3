#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/try.h"
#include "tidemill/state/queue/redis_outlet.h"

namespace tidemill::queue {
namespace {

// nullopt: the server does not have the setting or does not allow CONFIG; many hosts forbid it.
Result<std::optional<std::string>> setting(redis::Client& client, std::string_view name,
                                           const std::stop_token& stop) {
  redis::Commands commands;
  commands.add({"CONFIG", "GET", name});
  LET(const auto replies, client.ask(commands, stop));
  if (replies.size() != 1 || replies[0].items.size() != 2) return std::nullopt;
  return replies[0].items[1].text;
}

}  // namespace

Result<std::vector<std::string>> worries(redis::Client& client, const std::stop_token& stop) {
  std::vector<std::string> found;
  LET(const auto policy, setting(client, "maxmemory-policy", stop));
  LET(const auto memory, setting(client, "maxmemory", stop));
  if (policy && *policy != "noeviction") {
    const bool is_limited = !memory || *memory != "0";
    found.push_back("maxmemory-policy is " + *policy +
                    ": the server may evict leases and batches " +
                    (is_limited ? "when" : "if it gets a memory limit and") +
                    " its memory is full; use noeviction");
  }
  LET(const auto append_only, setting(client, "appendonly", stop));
  LET(const auto save, setting(client, "save", stop));
  if (append_only && save && *append_only == "no") {
    found.emplace_back(
        save->empty() ? "the server writes nothing to disk (appendonly no, save \"\"): a restart "
                        "loses all batches"
                      : "appendonly is no: a server crash loses the batches since its last "
                        "snapshot");
  }
  LET(const auto sync, setting(client, "appendfsync", stop));
  if (append_only && *append_only == "yes" && sync && *sync == "no") {
    found.emplace_back(
        "appendfsync is no: a machine crash may lose the batches of the last half minute");
  }
  return found;
}

}  // namespace tidemill::queue
