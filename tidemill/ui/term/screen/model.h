// ScreenModel: the state of the full screen. Snapshots, settled items and keys go in, lines with
// styles come out. It does not depend on a terminal, a thread or a clock, so the complete behaviour
// of the screen is tested without them.
//
//   books check [========>            ]  38 %  1,200/3,150
//   118/s  ETA 1 min 14 s  45 s elapsed  2/2 busy  12 failed
//     12 s  library/one.epub
//      3 s  library/two.epub
//   1 problems 14  2 valid 1,186  3 invalid 12  4 errored 2
//   invalid  library/old.epub   2 errors: RSC-005, RSC-007
//   …
//   ↑↓ move  Enter details  / filter  Tab next list  Esc stop  q close  ? help
//
// Memory is bounded: the newest kMostItems items are kept, fewer if their details are long; older
// ones are only counted. Names and details may contain any bytes: they are escaped when rendered. A
// line is never wider than the screen, and there are never more lines than it has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/engine/progress.h"
#include "tidemill/ui/command/console.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::term {

enum class Style : std::uint8_t { plain, bold, dim, good, bad, failed, chosen };

struct StyledSpan {
  std::string text{};
  Style style = Style::plain;

  bool operator==(const StyledSpan&) const = default;
};
using Line = std::vector<StyledSpan>;

[[nodiscard]] std::string text_of(const Line& line);

enum class Key : std::uint8_t {
  character,
  enter,
  escape,
  tab,
  shift_tab,
  backspace,
  up,
  down,
  page_up,
  page_down,
  home,
  end,
};

struct KeyPress {
  Key key = Key::character;
  char32_t character = 0;
};

// What the owner of the model has to do after a key.
enum class KeyAction : std::uint8_t { none, leave, stop };

// The words of a job for its good, bad and failed items. Without a word for bad, it has no bad
// items.
struct ItemWords {
  std::string good = "done";
  std::string bad{};
  std::string failed = "failed";
};

// One thread.
class ScreenModel {
 public:
  static constexpr std::size_t kMostItems = 10'000;
  static constexpr std::size_t kMostBytes = 16U << 20U;  // of all names and details together
  static constexpr std::size_t kLongestFilter = 100;     // bytes

  ScreenModel(std::string title, ItemWords words);

  void show(engine::ProgressSnapshot snapshot);
  void add(command::SettledItem item);
  // Counts items that were dropped because they ended too fast to be shown.
  void count_unseen(command::ItemState state, std::uint64_t count);
  // Shows the newest message of the run at the bottom until the next key.
  void tell(command::Tone tone, std::string_view text);
  void note_stopping() { is_stopping_ = true; }  // Esc no longer asks
  void note_over() { is_over_ = true; }          // the run has ended, and its report is written

  [[nodiscard]] KeyAction press(KeyPress key);
  // Returns exactly as many lines as the screen has.
  [[nodiscard]] std::vector<Line> render(Size size);

  // The run ended by itself and its report is written: Ctrl-C can no longer stop it.
  [[nodiscard]] bool has_ended() const { return is_over_ && snapshot_ && snapshot_->is_last; }

 private:
  struct Entry {
    command::SettledItem item{};
    std::uint64_t number = 0;  // starts at 1
  };
  struct Tab {
    std::string word{};
    std::vector<command::ItemState> states{};
  };
  enum class Page : std::uint8_t { list, details, help };

  // screen/model.cc: state changes by keys and items
  void look_again();
  void drop_oldest();
  [[nodiscard]] bool is_shown(const command::SettledItem& item) const;
  [[nodiscard]] const Entry* chosen() const;
  void choose_tab(std::size_t tab);
  void move_by(std::ptrdiff_t lines);
  void move_to_edge(bool is_end);
  [[nodiscard]] bool move(Key key);
  void open_or_close();
  void edit_filter(KeyPress key);
  [[nodiscard]] KeyAction escape();
  [[nodiscard]] KeyAction press_character(char32_t character);
  [[nodiscard]] std::size_t place_of_chosen() const;

  // screen/model_render.cc: rendering
  [[nodiscard]] std::uint64_t count_of(const Tab& tab) const;
  void render_head(std::vector<Line>& lines, Size size) const;
  void render_workers(std::vector<Line>& lines, Size size) const;
  [[nodiscard]] Line tab_line(std::size_t width) const;
  void render_list(std::vector<Line>& lines, std::size_t rows, std::size_t width);
  [[nodiscard]] Line item_line(const Entry& entry, std::size_t width, bool is_chosen) const;
  void render_details(std::vector<Line>& lines, std::size_t rows, std::size_t width);
  void render_text(std::vector<Line>& lines, std::vector<Line> text, std::size_t rows);
  [[nodiscard]] const std::string& word_of(command::ItemState state) const;

  // screen/model_keys.cc: the help and the hints about keys
  void render_help(std::vector<Line>& lines, std::size_t rows, std::size_t width);
  [[nodiscard]] Line foot_line(std::size_t width) const;

  const std::string title_;
  const ItemWords words_;
  std::vector<Tab> tabs_;
  std::optional<engine::ProgressSnapshot> snapshot_;
  std::array<std::uint64_t, 3> counts_{};  // by state, all ended items
  std::uint64_t unseen_ = 0;               // of these, not kept

  std::deque<Entry> entries_;  // with consecutive numbers
  std::size_t bytes_ = 0;
  std::uint64_t last_number_ = 0;

  std::size_t tab_ = 0;
  std::string filter_;
  bool is_editing_ = false;  // the filter is being edited
  bool is_stopping_ = false;
  bool is_over_ = false;
  bool is_asking_ = false;  // the user is asked whether to stop the run
  Page page_ = Page::list;
  std::deque<std::uint64_t> view_;  // numbers of the entries of this tab that match the filter
  std::uint64_t chosen_ = 0;        // a number in the view; 0: none
  bool follows_ = true;             // the newest entry stays chosen
  std::size_t top_ = 0;             // first row of the list: index in the view
  command::SettledItem open_{};     // the item whose details are shown
  std::size_t text_top_ = 0;        // first row of details or help
  std::size_t rows_ = 1;            // of the list at the last drawing: one page
  std::string message_;
  command::Tone tone_ = command::Tone::plain;
};

}  // namespace tidemill::term
