#include "tidemill/ui/cli/nothing_matched.h"

#include <cstdint>
#include <functional>
#include <utility>

#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/exit_code.h"

namespace tidemill::cli {
namespace {

using command::Tone;
using text::count_text;
using walk::WalkOptions;

struct Seen {
  std::uint64_t files = 0;
  std::uint64_t others = 0;  // symlinks, FIFOs …
};

Seen look(const std::vector<std::string>& roots, const WalkOptions& wanted,
          const std::stop_token& stop) {
  Seen seen;
  for (const std::string& root : roots) {
    const auto walked = walk::walk(
        root, wanted, {}, stop, [](const walk::FoundFile&) { return true; },
        [](std::string_view, const Failure&) {});
    if (!walked) continue;
    seen.files += walked->files;
    seen.others += walked->others;
  }
  return seen;
}

// "10 skipped by --glob, 2 by --no-hidden", of `all` files.
std::string shares(const Selection& selection, std::uint64_t all, const std::stop_token& stop) {
  const WalkOptions& wanted = selection.wanted;
  std::string text;
  WalkOptions so_far;
  std::uint64_t left = all;
  const auto add = [&](std::string_view flag, std::uint64_t now) {
    if (now < left) {
      text += (text.empty() ? "" : ", ") + count_text(left - now);
      text += (left == all ? " skipped by " : " by ") + std::string(flag);
    }
    left = now;
  };
  const auto narrow = [&](bool is_on, std::string_view flag, const std::function<void()>& set) {
    if (!is_on) return;
    set();
    add(flag, look(selection.roots, so_far, stop).files);
  };
  narrow(!wanted.hidden, "--no-hidden", [&] { so_far.hidden = false; });
  narrow(!wanted.excludes.empty(), "--exclude", [&] { so_far.excludes = wanted.excludes; });
  narrow(!wanted.ignore_files.empty(), ".gitignore and .ignore files",
         [&] { so_far.ignore_files = wanted.ignore_files; });
  narrow(!wanted.globs.empty(), selection.globs, [&] { so_far.globs = wanted.globs; });
  if (!selection.limits.empty()) add(selection.limits, 0);
  return text;
}

std::string roots_text(const std::vector<std::string>& roots) {
  if (roots.size() > 3) return "the " + count_text(roots.size()) + " folders";
  std::string text;
  for (const std::string& root : roots) text += (text.empty() ? "" : ", ") + text::printable(root);
  return text;
}

std::string list_text(const std::string& list) {
  return list == "-" ? "no names in standard input" : "no names in " + text::printable(list);
}

}  // namespace

std::string why_nothing(const Selection& selection, const std::stop_token& stop) {
  if (!selection.list.empty()) return "Nothing matched: " + list_text(selection.list) + ".";
  const Seen all = look(selection.roots, {}, stop);
  const std::string where = roots_text(selection.roots);
  std::string text;
  if (all.files == 0) {
    text = "Nothing matched: no files in " + where + ".";
  } else {
    text = "Nothing matched: " + text::counted(all.files, "file") + " in " + where;
    const std::string reasons = shares(selection, all.files, stop);
    text += reasons.empty() ? ", none selected." : ", " + reasons + ".";
  }
  if (all.others > 0) {
    text += " Ignored " +
            text::counted(all.others, "symlink or special file", "symlinks and special files") +
            ".";
  }
  return text;
}

int nothing_matched(const Selection& selection, CliContext& cli, const std::stop_token& stop) {
  const std::string text = why_nothing(selection, stop);
  if (selection.is_empty_allowed) {
    cli.console->say(Tone::plain, text);
    return kDone;
  }
  cli.console->say(Tone::bad, text + "\n  hint: if this is expected, add --allow-empty");
  return kFailed;
}

}  // namespace tidemill::cli
