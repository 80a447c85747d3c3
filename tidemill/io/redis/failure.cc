// Classifies error replies of the server, by their first word.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tidemill/io/redis/client.h"

namespace tidemill::redis {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kLongestText = 300;

struct Meaning {
  std::string_view start;
  Cure cure;
  std::string_view hint = "";
};

// The first match counts.
constexpr std::array kMeanings = {
    Meaning{.start = "LOADING", .cure = Cure::retry},
    Meaning{.start = "READONLY",
            .cure = Cure::retry,
            .hint = "wait, or connect to the master: this server is a replica now"},
    Meaning{.start = "CLUSTERDOWN", .cure = Cure::retry},
    Meaning{.start = "TRYAGAIN", .cure = Cure::retry},
    Meaning{.start = "MASTERDOWN", .cure = Cure::retry},
    Meaning{.start = "NOREPLICAS", .cure = Cure::retry},
    Meaning{.start = "BUSY ", .cure = Cure::retry},
    Meaning{.start = "OOM", .cure = Cure::retry, .hint = "give the server more memory (maxmemory)"},
    Meaning{.start = "MISCONF", .cure = Cure::retry, .hint = "check the disk of the server"},
    Meaning{.start = "MOVED", .cure = Cure::retry},
    Meaning{.start = "ASK ", .cure = Cure::retry},
    Meaning{.start = "ERR max number of clients", .cure = Cure::retry},
    Meaning{.start = "WRONGPASS", .cure = Cure::give_up, .hint = "check the user and the password"},
    Meaning{.start = "NOAUTH", .cure = Cure::give_up, .hint = "set a password"},
    Meaning{.start = "NOPERM",
            .cure = Cure::give_up,
            .hint = "check the permissions of the user (ACL SETUSER)"},
    Meaning{.start = "CROSSSLOT", .cure = Cure::give_up, .hint = "use keys with a common hash tag"},
};

// Matched anywhere in the text: older servers wrap errors from scripts.
constexpr std::array kKinds = {
    std::pair("NOAUTH"sv, FailureKind::unauthenticated),
    std::pair("WRONGTYPE"sv, FailureKind::wrong_type),
    std::pair("cluster support disabled"sv, FailureKind::unsupported),
};

FailureKind kind_of(std::string_view error) {
  if (error.starts_with("LOADING")) return FailureKind::starting;
  const auto* const found = std::ranges::find_if(
      kKinds, [&](const auto& candidate) { return error.contains(candidate.first); });
  return found == kKinds.end() ? FailureKind::other : found->second;
}

// The error is untrusted text that may reach a terminal.
std::string printable(std::string_view text) {
  std::string out(text.substr(0, kLongestText));
  std::ranges::replace_if(out, [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

}  // namespace

Failure failure_of(std::string_view error, const std::string& server) {
  // Older servers wrap errors from scripts: "ERR Error running script …: -READONLY …".
  const bool is_wrapped = error.starts_with("ERR") && error.contains("-READONLY ");
  const std::string_view meant = is_wrapped ? "READONLY" : error;
  const auto* const meaning = std::ranges::find_if(
      kMeanings, [&](const Meaning& candidate) { return meant.starts_with(candidate.start); });
  const bool is_known = meaning != kMeanings.end();
  return {.cure = is_known ? meaning->cure : Cure::give_up,
          .kind = kind_of(error),
          .step = "redis",
          .reason = server + ": " + printable(error),
          .hint = is_known ? std::string(meaning->hint) : ""};
}

}  // namespace tidemill::redis
