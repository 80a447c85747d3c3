#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "tidemill/app/catalogue/place.h"
#include "tidemill/app/catalogue/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/rehash/rereader.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/signal_scope.h"

namespace tidemill::app {
namespace {

using catalogue::Catalogue;
using catalogue::KnownFile;
using catalogue::KnownTotal;
using command::Tone;
using text::count_text;
using text::printable;

constexpr std::size_t kPage = 20'000;  // files in memory at once

struct VerifyCounts {
  std::uint64_t same = 0;
  std::uint64_t different = 0;
  std::uint64_t changed = 0;  // since the scan: cannot be verified
  std::uint64_t gone = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t repaired = 0;
  bool is_stopped = false;
};

// A file that was scanned as a root is stored in a folder with the file's own path.
std::string path_of(std::string folder, const std::string& name) {
  std::error_code ignored;
  const bool is_root =
      folder.ends_with("/" + name) && std::filesystem::is_regular_file(folder, ignored);
  return is_root ? folder : std::move(folder) + "/" + name;
}

// One pass over the files of a catalogue that have a hash. One thread.
class Verification {
 public:
  Verification(Catalogue& catalogue, dupes::Rereader& rereader, command::Context& context,
               bool repairs)
      : catalogue_(catalogue), rereader_(rereader), context_(context), repairs_(repairs) {}

  Result<void> verify(std::optional<std::int64_t> root, const std::stop_token& stop) {
    KnownFile last;
    while (!tally_.is_stopped) {
      LET(auto page, catalogue_.hashed_files(root, last, kPage));
      if (page.empty()) return {};
      LET(const auto answers, rereader_.read(page, stop));
      std::vector<KnownFile> wrong;
      for (std::size_t i = 0; i < page.size(); ++i) TRY(judge(page[i], answers[i], wrong));
      if (repairs_ && !wrong.empty()) {
        LET(const std::size_t dropped, catalogue_.drop_hashes(wrong));
        tally_.repaired += dropped;
      }
      last = std::move(page.back());
    }
    return {};
  }

  [[nodiscard]] const VerifyCounts& tally() const { return tally_; }

 private:
  Result<void> judge(const KnownFile& file, const Result<hash::Digest>& answer,
                     std::vector<KnownFile>& wrong) {
    if (answer && answer->view() == file.hash) {
      ++tally_.same;
      return {};
    }
    if (answer) {
      ++tally_.different;
      wrong.push_back(file);
      return tell(file, "differs");
    }
    const Failure& failure = answer.error();
    if (failure.cure == Cure::resume) {
      tally_.is_stopped = true;
    } else if (failure.kind == FailureKind::not_found) {
      ++tally_.gone;
    } else if (failure.kind == FailureKind::changed) {
      ++tally_.changed;
    } else {
      ++tally_.unreadable;
      return tell(file, "cannot be read (" + failure.reason + ")");
    }
    return {};
  }

  Result<void> tell(const KnownFile& file, const std::string& what) {
    LET(const std::string_view folder, catalogue_.folder_path(file.folder));
    const std::string path = path_of(std::string(folder), file.name);
    const std::string line = printable(what) + ": " + printable(path);
    context_.log.write(LogLevel::warning, line);
    return context_.console.out(line + "\n");
  }

  Catalogue& catalogue_;
  dupes::Rereader& rereader_;
  command::Context& context_;
  const bool repairs_;
  VerifyCounts tally_{};
};

// nullopt: all roots.
Result<std::vector<std::optional<std::int64_t>>> roots_of(Catalogue& catalogue,
                                                          const cli::CliContext& cli) {
  std::vector<std::optional<std::int64_t>> chosen;
  const auto& typed = cli.values.argument("ROOT");
  if (typed.empty()) return std::vector<std::optional<std::int64_t>>{std::nullopt};
  LET(const auto roots, catalogue.roots());
  for (const std::string& name : typed) {
    const auto root = root_named(name, roots);
    if (!root) return no_such_root(name, roots);
    chosen.emplace_back(root->id);
  }
  return chosen;
}

// Checks the catalogue file itself and prints one line per finding.
Result<bool> check_file(Catalogue& catalogue, command::Console& console) {
  LET(const auto findings, catalogue.check());
  for (const std::string& finding : findings) {
    TRY(console.out("catalogue: " + printable(finding) + "\n"));
  }
  return findings.empty();
}

void tell_whole(const VerifyCounts& tally, bool repairs, command::Console& console) {
  std::string text =
      fmt::format("{} unchanged, {} different, {} unreadable, {} modified since the scan, {} gone",
                  count_text(tally.same), count_text(tally.different), count_text(tally.unreadable),
                  count_text(tally.changed), count_text(tally.gone));
  if (repairs) text += ", " + text::counted(tally.repaired, "hash", "hashes") + " forgotten";
  const bool is_good = tally.different == 0 && tally.unreadable == 0;
  console.say(is_good ? Tone::good : Tone::warning, text);
}

Result<VerifyCounts> verify_all(Catalogue& catalogue, cli::CliContext& cli,
                                command::Context& context) {
  LET(const auto roots, roots_of(catalogue, cli));
  KnownTotal total;
  for (const auto root : roots) {
    LET(const KnownTotal part, catalogue.hashed_total(root));
    total.files += part.files;
    total.bytes += part.bytes;
  }
  LET(const auto rereader, dupes::Rereader::make(catalogue, total));
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {}, [&] { return rereader->progress(); },
          [&](const engine::ProgressSnapshot& seen) { context.console.show(seen); }, cli.clock));
  Verification verification(catalogue, *rereader, context, cli.values.is_on("repair"));
  for (const auto root : roots) TRY(verification.verify(root, context.stop));
  return verification.tally();
}

}  // namespace

command::Verb describe_catalogue_verify() {
  return {
      .name = "catalogue verify",
      .summary = "read files again and compare them with their hashes",
      .usage = {"tidemill catalogue verify [ROOT...] [--repair] [OPTIONS]"},
      .examples = {{"tidemill catalogue verify", "every file that has a hash"},
                   {"tidemill catalogue verify /mnt/archive --repair",
                    "one root; the next scan reads damaged files again"}},
      .description =
          {"Checks the file of the catalogue first. Then reads every file that has a hash and "
           "whose size and times are unchanged, and compares its contents with the hash. "
           "Different contents mean that the disk or the memory is faulty. Each such file is "
           "printed on standard output, one per line.",
           "--repair forgets the hash of each file that differs; the next scan reads the file "
           "again.",
           "Files that changed since the scan or are gone are counted, but are not an error: scan "
           "the folder again. Contents that are still in the system's page cache are not read from "
           "the disk.",
           "The exit status is 0 when all contents match, 3 when contents differ or files cannot "
           "be read, and 1 when the catalogue itself is damaged."},
      .arguments = {{.name = "ROOT",
                     .help = "roots to verify; all if none is given",
                     .is_list = true}},
      .flags = {{.name = "repair",
                 .help = "forget the hashes of files that differ",
                 .is_configurable = false,
                 .is_basic = true},
                catalogue_flag()},
      .works = true};
}

namespace {

Result<int> verify_on(Catalogue& catalogue, bool repairs, command::Context& context,
                      const cli::Recording& recording, cli::CliContext& cli,
                      cli::SignalScope& signal_scope) {
  LET(const bool is_whole, check_file(catalogue, signal_scope.console));
  if (!is_whole) {
    signal_scope.console.say(Tone::bad, "The catalogue is damaged; no file was verified.");
    return cli::kFailed;
  }
  LET(const VerifyCounts tally, verify_all(catalogue, cli, context));
  tell_whole(tally, repairs, signal_scope.console);
  if (tally.is_stopped) {
    signal_scope.console.say(Tone::warning,
                             "Interrupted; " + recording.resume_command() + " starts again.");
    return cli::exit_code_of(signal_scope.signals.first());
  }
  return tally.different + tally.unreadable > 0 ? cli::kSomeFailed : cli::kDone;
}

}  // namespace

Result<int> run_catalogue_verify(cli::CliContext& cli) {
  const bool repairs = cli.values.is_on("repair");
  LET(auto catalogue,
      open_catalogue(cli, repairs ? Catalogue::Access::write : Catalogue::Access::read));
  cli::SignalScope signal_scope(cli);
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  return cli::recorded(
      cli, signal_scope.console, "catalogue-verify", [&](const cli::Recording& recording) {
        return verify_on(catalogue, repairs, context, recording, cli, signal_scope);
      });
}

}  // namespace tidemill::app
