#include "tidemill/ui/redis_flags/fleet_flags.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/state/fleet/keys.h"
#include "tidemill/state/fleet/redis_fleet.h"
#include "tidemill/ui/command/config/config.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/redis_flags/advice.h"
#include "tidemill/ui/redis_flags/flags.h"
#include "tidemill/ui/redis_flags/place.h"

namespace tidemill::redis_flags {
namespace {

constexpr std::string_view kScheme = "redis:";
constexpr const char* kKeyName = "fleet.key";

[[nodiscard]] std::unexpected<Failure> not_a_fleet(const std::string& typed) {
  // A user who knows --redis types the URL here.
  const bool is_url = typed.contains("://");
  return command::misuse(
      command::in_quotes(typed) + " is not a fleet",
      is_url ? "name the fleet as redis:NAME and the server with --redis URL" : "use redis:NAME");
}

[[nodiscard]] bool is_typed(const command::Values& values, std::string_view flag) {
  const auto found = values.flags.find(flag);
  return found != values.flags.end() && found->second.origin == command::ValueSource::command_line;
}

[[nodiscard]] std::unexpected<Failure> no_key(const std::string& file, const std::string& program) {
  const std::string reason = "no key for the fleet";
  return command::misuse(
      file.empty() ? reason : reason + ": no such file: " + text::printable(file),
      "create one with " + program +
          " fleet key and copy it to every host, or use --fleet-key FILE");
}

[[nodiscard]] Result<fleet::FleetKey> key_of(const cli::CliContext& cli, KeyUse use) {
  const command::Values& values = cli.values;
  const bool is_named = values.has("fleet-key");
  if (use == KeyUse::required && values.is_on("insecure-fleet")) {
    if (!is_typed(values, "fleet-key")) return fleet::FleetKey();
    return command::misuse("--fleet-key cannot be used with --insecure-fleet", "remove one");
  }
  const std::string file = key_file(cli);
  const bool may_lack = use == KeyUse::optional && !is_named;
  if (file.empty()) {
    if (may_lack) return fleet::FleetKey();
    return no_key(file, cli.program.name);
  }
  auto key = fleet::FleetKey::read(file);
  if (key) return key;
  if (key.error().kind != FailureKind::not_found) {
    key.error().reason = text::printable(key.error().reason);
    return key;
  }
  if (may_lack) return fleet::FleetKey();
  return no_key(file, cli.program.name);
}

}  // namespace

command::Flag fleet_key_flag(const std::string& group) {
  return {.name = "fleet-key",
          .kind = command::ValueKind::path,
          .metavar = "FILE",
          .help = "file with the key of the fleet",
          .fallback_text = "fleet.key in the config folder",
          .group = group,
          .is_basic = true};
}

std::vector<command::Flag> fleet_view_flags(const std::string& group) {
  std::vector<command::Flag> all = {
      {.name = "redis",
       .kind = command::ValueKind::text,
       .metavar = "URL",
       .help = "URL without a password: redis, rediss, unix, redis+sentinel or redis+cluster",
       .fallback_text = "$REDIS_URL, or redis://127.0.0.1:6379",
       .group = group,
       .is_basic = true}};
  std::ranges::move(flags(group), std::back_inserter(all));
  all.push_back(fleet_key_flag(group));
  return all;
}

std::vector<command::Flag> fleet_flags(const std::string& group) {
  std::vector<command::Flag> all = fleet_view_flags(group);
  all.push_back({.name = "insecure-fleet",
                 .help = "use no key: who can write to Redis can run any command",
                 .group = group});
  return all;
}

std::string default_key_file(const cli::CliContext& cli) {
  const auto paths = command::config_paths(
      cli.program, [](const std::string& name) { return cli::variable(name); });
  if (paths.size() < 2) return "";  // only the system's
  return (std::filesystem::path(paths.back()).parent_path() / kKeyName).string();
}

std::string key_file(const cli::CliContext& cli) {
  const std::string named = cli.values.text("fleet-key");
  return named.empty() ? default_key_file(cli) : named;
}

Result<std::string> fleet_name(const std::string& typed) {
  if (!typed.starts_with(kScheme) || typed == kScheme || typed.contains("://")) {
    return not_a_fleet(typed);
  }
  std::string name = typed.substr(kScheme.size());
  TRY(fleet::check_name(name));
  return name;
}

Result<FleetChoice> fleet_of(const std::string& typed, const cli::CliContext& cli, KeyUse use) {
  const command::Values& values = cli.values;
  FleetChoice choice;
  LET(choice.fleet, fleet_name(typed));
  LET(choice.key, key_of(cli, use));
  LET(choice.client.address, redis_address(values.text("redis"), values.text("password-file")));
  choice.client.tls = {.authorities = values.text("tls-ca"),
                       .certificate = values.text("tls-cert"),
                       .key = values.text("tls-key")};
  choice.client.home = fleet::FleetKeys(choice.fleet).runs;
  choice.client.name = "tidemill-fleet";
  return choice;
}

Failure with_advice(Failure failure, const FleetChoice& choice) {
  const redis::RedisAddress& address = choice.client.address;
  if (failure.kind != FailureKind::wrong_type) {
    return with_advice(std::move(failure), address, choice.fleet);
  }
  failure.reason = redis::text_of(address) + ": the keys {" + choice.fleet +
                   "}:… exist, but are not those of a fleet";
  failure.hint = "use another name";
  return failure;
}

}  // namespace tidemill::redis_flags
