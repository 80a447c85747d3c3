#include "tidemill/jobs/dupes/rehash/rereader.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/engine/parallel_for.h"

namespace tidemill::dupes {
namespace {

using catalogue::KnownFile;

constexpr std::size_t kLargestSlice = 32;  // files: mostly of one folder, which is opened once

std::unexpected<Failure> not_read() { return fail(Cure::resume, "stop", "stopped"); }

// The folder of each file of a page. A path is stored once for adjacent files.
struct PagePlaces {
  std::vector<std::string> folders{};
  std::vector<std::size_t> of_file{};
};

Result<PagePlaces> places_of(catalogue::Catalogue& catalogue, std::span<const KnownFile> files) {
  PagePlaces places;
  places.of_file.reserve(files.size());
  catalogue::FolderKey last = 0;
  for (const KnownFile& file : files) {
    if (file.folder != last || places.folders.empty()) {
      LET(const std::string_view path, catalogue.folder_path(file.folder));
      places.folders.emplace_back(path);
      last = file.folder;
    }
    places.of_file.push_back(places.folders.size() - 1);
  }
  return places;
}

}  // namespace

Rereader::Rereader(catalogue::Catalogue& catalogue, catalogue::KnownTotal total, Descriptor top)
    : catalogue_(catalogue), total_(total), top_(std::move(top)) {
  workers_.resize(engine::ParallelOptions::default_most());
  for (auto& worker : workers_) {
    worker = std::make_unique<RecordedReader>(RecordedReader::StampOf::this_host);
  }
}

Rereader::~Rereader() = default;

Result<std::unique_ptr<Rereader>> Rereader::make(catalogue::Catalogue& catalogue,
                                                 catalogue::KnownTotal total) {
  Descriptor top(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top.is_open()) return cannot_enter(errno);
  return std::unique_ptr<Rereader>(new Rereader(catalogue, total, std::move(top)));
}

Result<Rereader::Answers> Rereader::read(std::span<const KnownFile> files,
                                         const std::stop_token& stop) {
  LET(const PagePlaces places, places_of(catalogue_, files));
  Answers answers(files.size(), not_read());
  const engine::ParallelOptions how{.most = workers_.size()};
  const std::size_t slice = std::clamp<std::size_t>(files.size() / (8 * how.most), 1,
                                                    kLargestSlice);  // few large files: one each
  const auto work = [&](std::size_t worker, std::size_t number) {
    const std::size_t end = std::min(files.size(), (number + 1) * slice);
    for (std::size_t i = number * slice; i < end; ++i) {
      const std::string_view folder = places.folders[places.of_file[i]];
      answers[i] = workers_[worker]->read({.top = top_.number(),
                                           .folder = folder.substr(folder.empty() ? 0 : 1),
                                           .name = files[i].name,
                                           .stamp = files[i].stamp,
                                           .algorithm = files[i].algorithm},
                                          stop);
      if (!answers[i] && answers[i].error().cure == Cure::resume) return;
      bytes_.fetch_add(files[i].stamp.size, std::memory_order_relaxed);
      if (!answers[i]) count_failure(answers[i].error());
      files_.fetch_add(1, std::memory_order_relaxed);
    }
  };
  const auto report = engine::parallel_slices(how, (files.size() + slice - 1) / slice, work, stop);
  if (report.failure) return std::unexpected(*report.failure);
  // Files that were not read are marked in the answers.
  return answers;
}

void Rereader::count_failure(const Failure& failure) {
  const bool is_overtaken =
      failure.kind == FailureKind::not_found || failure.kind == FailureKind::changed;
  (is_overtaken ? overtaken_ : failed_).fetch_add(1, std::memory_order_relaxed);
}

engine::ProgressInputs Rereader::progress() const {
  engine::ProgressInputs seen{.is_total_known = true};
  const std::uint64_t files = files_.load(std::memory_order_relaxed);
  const std::uint64_t bytes = bytes_.load(std::memory_order_relaxed);
  seen.counts.found = std::max(total_.files, files);
  seen.counts.found_bytes = {std::max(total_.bytes, bytes)};
  seen.counts.failed = std::min(failed_.load(std::memory_order_relaxed), files);
  seen.counts.skipped =
      std::min(overtaken_.load(std::memory_order_relaxed), files - seen.counts.failed);
  seen.counts.done = files - seen.counts.failed - seen.counts.skipped;
  seen.counts.settled_bytes = {bytes};
  return seen;
}

}  // namespace tidemill::dupes
