#include "tidemill/jobs/books/judge/foreign_format.h"

#include <array>
#include <cstddef>

#include "tidemill/formats/epub/words.h"

namespace tidemill::books {
namespace {

struct Mark {
  std::size_t at;
  std::string_view bytes;
  std::string_view format;
};

constexpr std::array kMarks = {
    Mark{.at = 60, .bytes = "BOOKMOBI", .format = "MOBI or AZW3"},
    Mark{.at = 60, .bytes = "TEXtREAd", .format = "PalmDOC"},
    Mark{.at = 0,
         .bytes = "\xea"
                  "DRMION\xee",
         .format = "KFX"},
    Mark{.at = 0, .bytes = "AT&TFORM", .format = "DjVu"},
    Mark{.at = 0, .bytes = "ITOLITLS", .format = "LIT"},
    Mark{.at = 0, .bytes = "Rar!", .format = "CBR"},
};

struct Ending {
  std::string_view end;
  std::string_view format;
};

constexpr std::array kEndings = {
    Ending{.end = ".mobi", .format = "MOBI"}, Ending{.end = ".azw", .format = "AZW"},
    Ending{.end = ".azw3", .format = "AZW3"}, Ending{.end = ".kfx", .format = "KFX"},
    Ending{.end = ".djvu", .format = "DjVu"}, Ending{.end = ".fb2", .format = "FictionBook"},
    Ending{.end = ".cbr", .format = "CBR"},   Ending{.end = ".cb7", .format = "CB7"},
};

}  // namespace

std::optional<std::string_view> foreign_format(std::string_view name, std::string_view head) {
  for (const Mark& mark : kMarks) {
    if (head.size() > mark.at && head.substr(mark.at).starts_with(mark.bytes)) return mark.format;
  }
  if (epub::ends_in_any_case(name, ".cbz")) return "CBZ";
  if (head.starts_with("PK") || head.starts_with("%PDF-")) return std::nullopt;
  for (const Ending& ending : kEndings) {
    if (epub::ends_in_any_case(name, ending.end)) return ending.format;
  }
  return std::nullopt;
}

}  // namespace tidemill::books
