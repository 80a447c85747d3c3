#include "tidemill/jobs/dupes/act/made_folders.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ranges>
#include <sstream>
#include <string>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"

namespace tidemill::dupes {
namespace {

std::string key_of(std::size_t note) { return "made." + std::to_string(note); }

// "INODE BIRTH ROOT_BYTES PATH" and a NUL: a path may contain all other bytes.
std::string text_of(const MadeFolder& made) {
  return std::to_string(made.inode) + ' ' + std::to_string(made.born_ns) + ' ' +
         std::to_string(made.root_bytes) + ' ' + made.path + '\0';
}

void read_into(std::vector<MadeFolder>& folders, const std::string& note) {
  std::istringstream in(note);
  MadeFolder made;
  while (in >> made.inode >> made.born_ns >> made.root_bytes && in.get() == ' ' &&
         std::getline(in, made.path, '\0')) {
    folders.push_back(made);
  }
}

bool is_no_folder(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP; }

// Returns an errno; 0: removed, or kept because it is not empty or not the same folder. A user with
// write permission to the parent may replace the folder between the check and the removal: only an
// empty folder can be lost.
int remove_if_empty(const MadeFolder& made, const PairTools& tools) {
  const auto links = tools.is_root ? PairPlaces::Links::refused : PairPlaces::Links::followed;
  const auto parent = tools.places.parent_of(made, links);
  if (!parent) return is_no_folder(parent.error()) ? 0 : parent.error();
  const std::string name = made.path.substr(made.path.rfind('/') + 1);
  const auto there = look_at(parent->number(), name);
  if (is_missing(there)) return 0;
  if (!there) return there.error();
  if (!is_folder_of(*there, made)) return 0;
  if (::unlinkat(parent->number(), name.c_str(), AT_REMOVEDIR) == 0) return 0;
  const int error = errno;
  const bool is_full = error == ENOTEMPTY || error == EEXIST;
  return is_full || is_no_folder(error) ? 0 : error;
}

}  // namespace

Result<MadeFolders> MadeFolders::read(const journal::SqliteJournal& journal) {
  MadeFolders made;
  for (;; ++made.notes_) {
    LET(const auto note, journal.note(key_of(made.notes_)));
    if (!note) return made;
    read_into(made.folders_, *note);
  }
}

Result<void> MadeFolders::add(const std::vector<MadeFolder>& folders,
                              journal::SqliteJournal& journal) {
  if (folders.empty()) return {};
  std::string value;
  for (const MadeFolder& made : folders) value += text_of(made);
  TRY(journal.commit({}, std::vector<journal::Note>{{.key = key_of(notes_), .value = value}}));
  ++notes_;
  folders_.insert(folders_.end(), folders.begin(), folders.end());
  return {};
}

std::size_t remove_empty(const std::vector<MadeFolder>& folders, const PairTools& tools,
                         command::Console& console) {
  std::size_t left = folders.size();
  for (const MadeFolder& made : folders | std::views::reverse) {
    if (tools.stop.stop_requested()) break;
    --left;
    const int error = remove_if_empty(made, tools);
    if (error == 0) continue;
    console.say(command::Tone::warning,
                text::printable(made.path) + ": the folder was left behind: " + system_text(error));
  }
  return left;
}

}  // namespace tidemill::dupes
