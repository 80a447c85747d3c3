#include "tidemill/formats/epub/references/role.h"

namespace tidemill::epub {

Role role_of(Use use) {
  switch (use) {
    case Use::hyperlink:
    case Use::ncx:
      return Role::hyperlink;
    case Use::citation:
      return Role::citation;
    case Use::image:
    case Use::picture_image:
    case Use::picture_source:
    case Use::poster:
    case Use::mathml_altimg:
      return Role::image;
    case Use::stylesheet:
      return Role::style;
    case Use::audio:
    case Use::video:
    case Use::overlay_audio:
      return Role::media;
    case Use::track:
      return Role::track;
    case Use::font:
      return Role::font;
    case Use::script:
    case Use::css_other:
    case Use::embedded:
    case Use::iframe:
    case Use::input_image:
    case Use::guide:
    case Use::other:
      return Role::generic;
    case Use::svg_use:
      return Role::symbol;
    case Use::svg_paint:
      return Role::paint;
    case Use::overlay_text:
      return Role::overlay_text;
    case Use::search_key:
      return Role::search_key;
    case Use::package_link:
      return Role::link;
    case Use::nav_toc:
    case Use::nav_pages:
    case Use::nav_landmarks:
    case Use::nav_other:
      return Role::none;
  }
  return Role::none;
}

}  // namespace tidemill::epub
