#include "tidemill/ui/term/screen/full_screen.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/ui/term/fd_writer.h"

namespace tidemill::term {

FullScreen::FullScreen(FullScreenOptions options, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

FullScreen::~FullScreen() {
  give([](Orders& orders) { orders.should_leave = true; });
}

void FullScreen::give(const std::function<void(Orders&)>& change) {
  orders_.update([&](Orders& orders) { change(orders); });
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto rung = ::write(bell_.number(), &one, sizeof(one));
}

Result<void> FullScreen::start() {
  LET(thread_, start_thread(
                   "the screen", [this] { work(); },
                   [this](Failure failure) {  // the terminal is already restored
                     const bool has_opened = orders_.lock()->has_opened;
                     if (has_opened && options_.on_leave) options_.on_leave();
                     orders_.update([&](Orders& orders) {
                       orders.has_left = has_opened;
                       orders.failure = std::move(failure);
                     });
                   }));
  auto orders = orders_.lock();
  orders.wait([](const Orders& now) { return now.has_opened || now.failure; });
  const std::optional<Failure> failure = orders->failure;
  if (failure) return std::unexpected(*failure);
  return {};
}

void FullScreen::interrupt() {
  give([](Orders& orders) { orders.was_interrupted = true; });
}

void FullScreen::pause() {
  give([](Orders& orders) { orders.should_pause = true; });
  auto orders = orders_.lock();
  (void)orders.wait_until(clock_, clock_.now() + kPatience, [](const Orders& now) {
    return now.is_paused || now.has_left || !now.has_opened;
  });
}

void FullScreen::resume() {
  give([](Orders& orders) { orders.should_pause = false; });
}

void FullScreen::finish() {
  give([](Orders& orders) { orders.is_over = true; });
  auto orders = orders_.lock();
  orders.wait([](const Orders& now) { return now.has_left || !now.has_opened; });
}

// The screen's thread.
void FullScreen::work() {
  auto canvas = FullScreenCanvas::open(options_.canvas);
  if (!canvas) {
    orders_.update([&](Orders& orders) { orders.failure = std::move(canvas).error(); });
    return;
  }
  orders_.update([](Orders& orders) { orders.has_opened = true; });
  watch(**canvas);
  canvas->reset();
  if (options_.on_leave) options_.on_leave();
  orders_.update([](Orders& orders) { orders.has_left = true; });
}

void FullScreen::watch(FullScreenCanvas& canvas) {
  ScreenModel model(options_.title, options_.words);
  Instant drawn = clock_.now() - kFrame;
  bool was_touched = false;  // a key was pressed since the last drawing
  for (;;) {
    const Hold hold = hold_on(canvas);
    if (hold == Hold::leave) return;
    if (hold == Hold::wait) continue;
    // Read before the mail: the last snapshot is posted before finish() is called.
    const bool is_over = orders_.lock()->is_over;
    deliver(model);
    if (is_over) model.note_over();
    if (!take_keys(canvas, model, was_touched) || should_go(model, is_over)) return;
    const Instant due = drawn + (was_touched ? kAfterKey : kFrame);
    if (clock_.now() < due) {
      if (!wait_for_news(canvas, due, true)) return;
      continue;
    }
    if (is_ready(canvas.descriptor())) {
      canvas.draw(model.render(canvas.size()));
      was_touched = false;
    }
    drawn = clock_.now();
  }
}

// A background job must not draw on the terminal, even if it was not suspended by pause().
FullScreen::Hold FullScreen::hold_on(FullScreenCanvas& canvas) {
  const bool is_ours = canvas.is_foreground();
  {
    auto orders = orders_.lock();
    if (orders->should_leave) return Hold::leave;
    if (!orders->should_pause && is_ours) {
      orders->is_paused = false;
      return Hold::none;
    }
    if (orders->is_over) return Hold::leave;  // the user does not see the screen
  }
  canvas.lend();
  orders_.update([](Orders& orders) { orders.is_paused = true; });
  return wait_for_news(canvas, clock_.now() + kFrame, false) ? Hold::wait : Hold::leave;
}

bool FullScreen::should_go(ScreenModel& model, bool is_over) {
  auto orders = orders_.lock();
  if (orders->was_interrupted) model.note_stopping();
  if (orders->should_leave) return true;
  return is_over && (orders->was_interrupted || !model.has_ended());
}

void FullScreen::deliver(ScreenModel& model) {
  FullScreenMail::Load load = mail_.take();
  for (std::size_t state = 0; state < load.dropped.size(); ++state) {
    model.count_unseen(static_cast<command::ItemState>(state), load.dropped.at(state));
  }
  for (command::SettledItem& item : load.items) model.add(std::move(item));
  if (load.message) model.tell(load.message->first, load.message->second);
  if (!load.snapshot) return;
  load.snapshot->eta = eta_.smooth(clock_.now(), load.snapshot->eta);
  model.show(*std::move(load.snapshot));
}

// False: the user closes the screen.
bool FullScreen::take_keys(FullScreenCanvas& canvas, ScreenModel& model, bool& was_touched) {
  while (const auto key = canvas.key()) {
    was_touched = true;
    const KeyAction action = model.press(*key);
    if (action == KeyAction::leave) return false;
    if (action == KeyAction::stop && options_.on_stop) options_.on_stop();
  }
  return true;
}

bool FullScreen::wait_for_news(const FullScreenCanvas& canvas, Instant until, bool listens) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock_.now()).count();
  const short wanted = listens ? POLLIN : 0;  // input for another process must not wake us
  std::array<pollfd, 2> asked = {pollfd{.fd = canvas.descriptor(), .events = wanted, .revents = 0},
                                 pollfd{.fd = bell_.number(), .events = POLLIN, .revents = 0}};
  (void)::poll(asked.data(), asked.size(), static_cast<int>(std::max<std::int64_t>(0, left)));
  std::uint64_t rings = 0;
  if ((asked[1].revents & POLLIN) != 0) {
    [[maybe_unused]] const auto got = ::read(bell_.number(), &rings, sizeof(rings));
  }
  return (asked[0].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
}

}  // namespace tidemill::term
