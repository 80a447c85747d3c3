// The frame of a page: head, links, one main part. A page is a file by itself, with the style sheet
// in it and a policy that lets it load nothing, or it is served, with a link to the style sheet and
// the policy in a header of the response.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/html/html.h"

namespace tidemill::html {

struct NavLink {
  std::string text{};
  std::string url{};
  bool is_current = false;
};

enum class PageKind : std::uint8_t { file, served };

struct PageFrame {
  std::string title{};  // of the window; the main part has the h1
  std::string lang = "en";
  PageKind kind = PageKind::file;
  std::vector<NavLink> links{};
  SafeHtml status{};  // at the right of the header: "read-only, updated 14:02:05"
  SafeHtml footer{};
  // Of served pages only: a file has no script and is not loaded again.
  std::string style_url = "/style.css";
  std::string script_url{};                         // none, if empty
  std::optional<std::chrono::seconds> refresh{};    // for browsers that run no script
  std::optional<std::chrono::milliseconds> poll{};  // how often the script asks for changes
};

[[nodiscard]] std::string page(const PageFrame& frame, const SafeHtml& body);

// What a served page must be sent with, and a file has in it.
[[nodiscard]] std::string_view served_policy();
[[nodiscard]] std::string file_policy();

}  // namespace tidemill::html
