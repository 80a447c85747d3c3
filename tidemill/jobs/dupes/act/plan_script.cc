#include <string>
#include <string_view>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"
#include "tidemill/jobs/dupes/act/plan.h"

namespace tidemill::dupes {
namespace {

// The link is created under another name and renamed, so that the duplicate's name always exists.
constexpr std::string_view kHead = R"sh(#!/bin/sh
# Duplicates found by `tidemill dupes`. Choose what to do with the second file of each pair:
#   sh SCRIPT             print the pairs that are still equal
#   sh SCRIPT hardlink    replace it with a hard link to the first
#   sh SCRIPT delete      delete it
# Each pair is compared first. This script locks no files, records nothing and cannot be undone:
# `tidemill dupes --action hardlink --apply` is safer.
set -u
what=${1:-print}
case $what in print | hardlink | delete) ;; *) echo "usage: sh $0 [print | hardlink | delete]" >&2; exit 2 ;; esac
good=0 left=0
one_file() { [ -f "$1" ] && [ ! -L "$1" ]; }
apply() {
  case $what in
  print) printf '%s = %s\n' "$1" "$2" ;;
  delete) rm -f -- "$2" ;;
  hardlink)
    t=${2%/*}/.tidemill-script-$$
    ln -- "$1" "$t" && mv -f -- "$t" "$2" || { rm -f -- "$t"; return 1; }
    ;;
  esac
}
same_access() {
  [ "$(id -u)" -ne 0 ] || [ "$(access_of "$1")" = "$(access_of "$2")" ] ||
    { echo "owner, group or mode differs (root needs --ignore-difference):" >&2; return 1; }
}
pair() {
  if one_file "$1" && one_file "$2" && ! [ "$1" -ef "$2" ] && same_access "$1" "$2" &&
    cmp -s -- "$1" "$2" && apply "$1" "$2"
  then good=$((good + 1))
  else left=$((left + 1)); printf 'skipped: %s\n' "$2" >&2
  fi
}
)sh";

// The properties that two files must have in common when root runs the script. `ls` appends "+" to
// the mode of a file that has an ACL.
std::string access_function(const Lenience& lenience) {
  std::string what = lenience.mode ? "" : lenience.xattrs ? "${mode%+} " : "$mode ";
  if (!lenience.owner) what += "$user $group";
  return "access_of() { ls -ldn -- \"$1\" | { read -r mode rest user group rest; echo \"" + what +
         "\"; }; }\n";
}

constexpr std::string_view kFoot = R"(echo "$good done, $left skipped" >&2
[ "$left" -eq 0 ] || exit 3
)";

// Quotes any bytes but NUL for a POSIX shell.
std::string shell_word(std::string_view bytes) {
  std::string text = "'";
  for (const char byte : bytes) {
    if (byte == '\'') {
      text += "'\\''";
    } else {
      text += byte;
    }
  }
  return text + "'";
}

// A name that cannot be taken for an option, and has a folder.
std::string word(std::string_view path) {
  return shell_word(path.starts_with('/') ? std::string(path) : "./" + std::string(path));
}

}  // namespace

Result<PlanTotals> write_script(Groups& groups, const DupesOptions& options,
                                const std::string& directory, command::Console& console) {
  LET(auto places, PairPlaces::from(directory));
  LET(auto comparer, Comparer::make());
  const PairTools tools{.places = places, .comparer = comparer};
  PlanTotals totals;
  Result<void> written = console.out(std::string(kHead) + access_function(options.lenience));
  if (written && !directory.empty()) {
    written = console.out("cd " + word(directory) + " || exit 1\n");
  }
  TRY(written);
  const auto on_step = [&](const Planned& planned) {
    ++totals.steps;
    // For root the pairs are also checked now: the script itself can check less.
    if (tools.is_root) {
      if (const auto fit = prepare(tools, planned.step); !fit) {
        ++totals.declined;
        written = console.out("# skipped: " + text::printable(planned.step.duplicate.path) + ": " +
                              text::printable(fit.error().reason) + '\n');
        return written.has_value();
      }
    }
    totals.reclaimable += planned.step.reclaimable;
    written = console.out("pair " + word(planned.step.kept.path) + ' ' +
                          word(planned.step.duplicate.path) + '\n');
    return written.has_value();
  };
  TRY(groups.each([&](const Group& group) { return each_step(group, options, on_step); }));
  TRY(written);
  TRY(console.out(kFoot));
  return totals;
}

}  // namespace tidemill::dupes
