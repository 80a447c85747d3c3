#include "tidemill/jobs/each/output/output_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/hash/hasher.h"

namespace tidemill::each {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "log-";
constexpr std::uint32_t kMagic = 0x74757031;  // "1put"
constexpr std::uint8_t kIsEvent = 1;
constexpr std::uint8_t kOutIsSpilled = 2;
constexpr std::uint8_t kErrIsSpilled = 4;

// Precedes the bytes of both streams, or the names of their spill files.
struct Header {
  std::uint64_t checksum;  // of everything that follows, with is_printed as 0
  std::uint64_t task;
  std::uint64_t out_total;
  std::uint64_t err_total;
  std::uint32_t out_bytes;
  std::uint32_t err_bytes;
  std::uint32_t magic;
  std::uint8_t flags;
  std::uint8_t is_printed;
  std::array<std::uint8_t, 2> unused;
};
static_assert(sizeof(Header) == 48 && std::is_trivially_copyable_v<Header>);

std::string_view name_in(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1);
}

std::string_view payload_of(const proc::Captured& captured) {
  return captured.spill.empty() ? std::string_view(captured.head) : name_in(captured.spill);
}

std::uint64_t checksum_of(hash::Hasher& hasher, std::string_view record) {
  const auto bytes = std::as_bytes(std::span(record)).subspan(sizeof(Header::checksum));
  const hash::Digest digest = hasher.of(bytes);
  std::uint64_t sum = 0;
  std::memcpy(&sum, digest.bytes.data(), sizeof sum);
  return sum;
}

void render(const TaskOutput& output, hash::Hasher& hasher, std::string& record) {
  const std::string_view out = payload_of(output.out);
  const std::string_view err = payload_of(output.err);
  Header header{};
  header.task = output.id;
  header.out_total = output.out.total;
  header.err_total = output.err.total;
  header.out_bytes = static_cast<std::uint32_t>(out.size());
  header.err_bytes = static_cast<std::uint32_t>(err.size());
  header.magic = kMagic;
  if (output.is_event) header.flags |= kIsEvent;
  if (!output.out.spill.empty()) header.flags |= kOutIsSpilled;
  if (!output.err.spill.empty()) header.flags |= kErrIsSpilled;
  record.resize(sizeof header);
  record.append(out).append(err);
  std::memcpy(record.data(), &header, sizeof header);
  header.checksum = checksum_of(hasher, record);
  std::memcpy(record.data(), &header.checksum, sizeof header.checksum);
}

proc::Captured captured_of(std::string_view payload, std::uint64_t total, bool is_spilled,
                           const std::string& folder) {
  if (is_spilled)
    return {.total = total, .spill = folder + "/" + std::string(name_in(std::string(payload)))};
  return {.head = std::string(payload), .total = total};
}

struct Parsed {
  std::size_t bytes = 0;
  std::optional<TaskOutput> unprinted{};
};

// Empty: the end of the file, or an incomplete record.
std::optional<Parsed> parse(std::string_view bytes, hash::Hasher& hasher,
                            const std::string& folder) {
  Header header{};
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t size = sizeof header + std::size_t{header.out_bytes} + header.err_bytes;
  if (header.magic != kMagic || bytes.size() < size) return std::nullopt;
  std::string record(bytes.substr(0, size));
  const std::uint8_t was_printed = std::exchange(header.is_printed, 0);
  std::memcpy(record.data(), &header, sizeof header);
  if (checksum_of(hasher, record) != header.checksum) return std::nullopt;
  Parsed parsed{.bytes = size};
  if (was_printed != 0) return parsed;
  const std::string_view payload = std::string_view(record).substr(sizeof header);
  parsed.unprinted =
      TaskOutput{.id = header.task,
                 .is_event = (header.flags & kIsEvent) != 0,
                 .out = captured_of(payload.substr(0, header.out_bytes), header.out_total,
                                    (header.flags & kOutIsSpilled) != 0, folder),
                 .err = captured_of(payload.substr(header.out_bytes), header.err_total,
                                    (header.flags & kErrIsSpilled) != 0, folder)};
  return parsed;
}

std::unexpected<Failure> write_failure(const std::string& path) {
  return fail(Cure::retry, FailureKind::unwritable, "output", path + ": " + system_text(errno));
}

}  // namespace

// One file. Its worker appends and the printer marks records; the last reference closes it.
struct OutputLog::Segment {
  Segment(std::string its_path, Descriptor its_file)
      : path(std::move(its_path)), file(std::move(its_file)) {}
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment() {
    if (unprinted.load() == 0) ::unlink(path.c_str());
  }

  const std::string path;
  const Descriptor file;
  std::atomic<std::uint64_t> unprinted = 0;
};

struct OutputLog::Writer {
  hash::Hasher hasher;
  std::string name;  // of its files, without the number
  std::uint64_t number = 0;
  std::shared_ptr<Segment> segment{};
  off_t end = 0;
  std::string record{};

  Result<void> begin_segment(const std::string& folder) {
    constexpr int kFlags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
    const std::string path = folder + "/" + name + std::to_string(number);
    Descriptor file(::open(path.c_str(), kFlags, 0600));
    if (!file.is_open() && errno == ENOENT) {
      ::mkdir(folder.c_str(), 0700);
      file = Descriptor(::open(path.c_str(), kFlags, 0600));
    }
    if (!file.is_open()) return write_failure(path);
    segment = std::make_shared<Segment>(path, std::move(file));
    ++number;
    end = 0;
    return {};
  }

  // Writes at `end`, which does not move: after a failure the same record can be written again.
  Result<void> write_record() {
    for (std::size_t put = 0; put < record.size();) {
      const ssize_t count = ::pwrite(segment->file.number(), record.data() + put,
                                     record.size() - put, end + static_cast<off_t>(put));
      if (count < 0 && errno != EINTR) return write_failure(segment->path);
      if (count > 0) put += static_cast<std::size_t>(count);
    }
    return {};
  }
};

void OutputLog::Record::mark_printed() {
  if (!segment_) return;
  constexpr std::uint8_t kYes = 1;
  // If this fails, the output is printed twice after a kill.
  [[maybe_unused]] const ssize_t ignored = ::pwrite(
      segment_->file.number(), &kYes, 1, at_ + static_cast<off_t>(offsetof(Header, is_printed)));
  segment_->unprinted.fetch_sub(1);
  segment_.reset();
}

Result<std::unique_ptr<OutputLog>> OutputLog::make(std::string folder, std::size_t workers) {
  std::unique_ptr<OutputLog> log(new OutputLog(std::move(folder)));
  for (std::size_t worker = 0; worker < workers; ++worker) {
    LET(auto hasher, hash::Hasher::make(hash::Algorithm::xxh3));
    log->writers_.push_back(std::make_unique<Writer>(Writer{
        .hasher = std::move(hasher), .name = std::string(kPrefix) + std::to_string(worker) + "-"}));
  }
  return log;
}

OutputLog::OutputLog(std::string folder) : folder_(std::move(folder)) {}

OutputLog::~OutputLog() {
  writers_.clear();
  ::rmdir(folder_.c_str());
}

Result<OutputLog::Record> OutputLog::append(std::size_t worker, const TaskOutput& output) {
  Writer& writer = *writers_[worker];
  if (!writer.segment || writer.end >= static_cast<off_t>(kSegmentBytes)) {
    TRY(writer.begin_segment(folder_));
  }
  render(output, writer.hasher, writer.record);
  TRY(writer.write_record());
  const off_t at = writer.end;
  writer.end += static_cast<off_t>(writer.record.size());
  writer.segment->unprinted.fetch_add(1);
  return Record(writer.segment, at);
}

Result<std::vector<TaskOutput>> OutputLog::read(const std::string& folder) {
  LET(auto hasher, hash::Hasher::make(hash::Algorithm::xxh3));
  std::vector<TaskOutput> unprinted;
  std::error_code wrong;
  for (fs::directory_iterator entry(folder, wrong); !wrong && entry != fs::directory_iterator();
       entry.increment(wrong)) {
    if (!is_log(entry->path().filename().native())) continue;
    std::ifstream file(entry->path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::string_view rest = bytes;
    while (auto parsed = parse(rest, hasher, folder)) {
      if (parsed->unprinted) unprinted.push_back(*std::move(parsed->unprinted));
      rest.remove_prefix(parsed->bytes);
    }
  }
  if (!wrong || wrong == std::errc::no_such_file_or_directory) return unprinted;
  return fail(Cure::give_up, FailureKind::unwritable, "output", folder + ": " + wrong.message());
}

bool OutputLog::is_log(std::string_view file_name) { return file_name.starts_with(kPrefix); }

}  // namespace tidemill::each
