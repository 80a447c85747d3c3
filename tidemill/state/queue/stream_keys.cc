#include "tidemill/state/queue/stream_keys.h"

#include <cstddef>

namespace tidemill::queue {
namespace {

// The hash tag by the rules of Redis: from the first { to the next }, if not empty. Empty: Redis
// hashes the entire name.
std::string_view tag_of(std::string_view name) {
  const std::size_t from = name.find('{');
  if (from == std::string_view::npos) return {};
  const std::size_t to = name.find('}', from + 1);
  if (to == std::string_view::npos) return {};
  return name.substr(from + 1, to - from - 1);
}

std::unexpected<Failure> refused(std::string_view stream, std::string_view why) {
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .kind = FailureKind::usage,
              .step = "usage",
              .reason = "stream \"" + std::string(stream) + "\" " + std::string(why),
              .hint = "use a name without braces, or with a hash tag in front: {team}:files"});
}

}  // namespace

Result<StreamKeys> stream_keys(std::string_view stream) {
  if (stream.empty()) return refused(stream, "has no name");
  const std::string_view tag = tag_of(stream);
  if (tag.empty() && stream.contains('}')) {
    return refused(stream, "has a closing brace but no hash tag");
  }
  if (!tag.empty() && tag.size() + 2 == stream.size()) {
    // {x}:lease is the lease of stream x.
    return refused(stream, "is only a hash tag");
  }
  const std::string base = tag.empty() ? "{" + std::string(stream) + "}" : std::string(stream);
  return StreamKeys{.stream = std::string(stream),
                    .lease = base + ":lease",
                    .epoch = base + ":epoch",
                    .progress = base + ":progress",
                    .dead = base + ":dead"};
}

LeaseValue parse_lease(std::string_view value) {
  const std::size_t run = value.find(' ');
  const std::size_t epoch = run == std::string_view::npos ? run : value.find(' ', run + 1);
  if (epoch == std::string_view::npos) return {.owner = value};
  return {.run = value.substr(0, run),
          .epoch = value.substr(run + 1, epoch - run - 1),
          .owner = value.substr(epoch + 1)};
}

}  // namespace tidemill::queue
