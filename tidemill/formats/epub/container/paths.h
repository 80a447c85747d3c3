// Where in a book the things are that every book has in the same place.
#pragma once

#include <string_view>

namespace tidemill::epub {

inline constexpr std::string_view kMimetypePath = "mimetype";
inline constexpr std::string_view kMimetypeContent = "application/epub+zip";
inline constexpr std::string_view kContainerPath = "META-INF/container.xml";

}  // namespace tidemill::epub
