#include "tidemill/ui/term/screen/mail.h"

namespace tidemill::term {
namespace {

void cut(command::SettledItem& item) {
  if (item.name.size() > FullScreenMail::kLongestName) {
    item.name.resize(FullScreenMail::kLongestName);
  }
  const std::size_t lines = item.details.size();
  if (lines > FullScreenMail::kMostDetails) {
    item.details.resize(FullScreenMail::kMostDetails);
    item.details.push_back("and " + std::to_string(lines - FullScreenMail::kMostDetails) + " more");
  }
  for (std::string& line : item.details) {
    if (line.size() > FullScreenMail::kLongestLine) line.resize(FullScreenMail::kLongestLine);
  }
}

}  // namespace

void FullScreenMail::post(command::SettledItem item) {
  cut(item);
  auto load = load_.lock();
  load->items.push_back(std::move(item));
  if (load->items.size() <= kMostItems) return;
  ++load->dropped.at(static_cast<std::size_t>(load->items.front().state));
  load->items.pop_front();
}

void FullScreenMail::post(const engine::ProgressSnapshot& snapshot) {
  std::optional<engine::ProgressSnapshot> next = snapshot;
  load_.lock()->snapshot.swap(next);
}

void FullScreenMail::post(command::Tone tone, std::string_view text) {
  std::optional<std::pair<command::Tone, std::string>> next(std::in_place, tone, text);
  load_.lock()->message.swap(next);
}

FullScreenMail::Load FullScreenMail::take() {
  Load load;
  std::swap(*load_.lock(), load);
  return load;
}

}  // namespace tidemill::term
