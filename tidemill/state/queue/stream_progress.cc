#include "tidemill/state/queue/stream_progress.h"

#include <charconv>
#include <cstddef>
#include <optional>

#include "tidemill/base/try.h"

namespace tidemill::queue {
namespace {

// Takes the word before the next space off `text`. nullopt: there is no space.
std::optional<std::string_view> word_of(std::string_view& text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const std::string_view word = text.substr(0, blank);
  text.remove_prefix(blank + 1);
  return word;
}

bool read(std::string_view word, std::uint64_t& number) {
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace

std::string progress_text(const Standing& standing) {
  return standing.run + " " + std::to_string(standing.last) +
         (standing.is_complete ? " 1 " : " 0 ") + standing.cursor;
}

Result<Standing> parse_progress(std::string_view text) {
  Standing standing;
  std::string_view rest = text;
  const auto run = word_of(rest);
  const auto number = run ? word_of(rest) : std::nullopt;
  const auto complete = number ? word_of(rest) : std::nullopt;
  if (!complete || run->empty() || !read(*number, standing.last) ||
      (*complete != "0" && *complete != "1")) {
    return fail(Cure::give_up, "progress",
                "the progress record is invalid: another program has written it");
  }
  standing.run = *run;
  standing.is_complete = *complete == "1";
  standing.cursor = rest;
  return standing;
}

Result<std::optional<Standing>> read_progress(redis::Client& client, std::string_view key,
                                              std::string_view job, const std::stop_token& stop) {
  LET(const auto found, client.call({"HGET", key, job}, stop));
  if (found.is_nil()) return std::nullopt;
  return parse_progress(found.text);
}

}  // namespace tidemill::queue
