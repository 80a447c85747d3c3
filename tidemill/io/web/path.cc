#include "tidemill/io/web/path.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/web/form.h"

namespace tidemill::web {
namespace {

constexpr std::string_view kPathStep = "path";

std::unexpected<Failure> refuse_path(std::string reason) {
  return fail(Cure::give_up, std::string(kPathStep), std::move(reason));
}

bool must_be_escaped(char c) {
  static constexpr std::string_view kSigns = "\"#<>?[\\]^`{|}";
  return c <= ' ' || c > '~' || kSigns.contains(c);
}

// A backslash too: browsers and other systems take it for a slash.
bool is_forbidden(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < ' ' || byte == 127 || c == '/' || c == '\\';
}

Result<std::string> name_of(std::string_view segment) {
  if (std::ranges::any_of(segment, must_be_escaped)) return refuse_path("unescaped bytes");
  auto name = percent_decoded(segment);
  if (!name) return std::unexpected(within(kPathStep, std::move(name).error()));
  if (name->empty()) return refuse_path("an empty segment");
  if (*name == "." || *name == "..") return refuse_path("a relative segment");
  if (std::ranges::any_of(*name, is_forbidden)) return refuse_path("a forbidden character");
  return name;
}

}  // namespace

Result<std::vector<std::string>> segments_of(std::string_view path) {
  if (!path.starts_with('/')) return refuse_path("not a path");
  std::vector<std::string> segments;
  path.remove_prefix(1);
  bool has_more = !path.empty();
  while (has_more) {
    const auto slash = path.find('/');
    has_more = slash != std::string_view::npos;
    if (segments.size() == kMostSegments) return refuse_path("too many segments");
    LET(std::string name, name_of(path.substr(0, slash)));
    segments.push_back(std::move(name));
    if (has_more) path.remove_prefix(slash + 1);
  }
  return segments;
}

}  // namespace tidemill::web
