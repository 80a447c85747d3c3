// The fixers that act without being asked, in their order: first what hides other faults (a
// document that cannot be read refers to nothing), then the package document, then the rest.
#include <array>

#include "tidemill/book/fixers.h"
#include "tidemill/book/fixers_list.h"

namespace tidemill::book {
namespace {

constexpr std::array kSafe = {
    Fixer{
        .name = "entities",
        .tier = Mend::safe,
        .about = "writes characters by names that XML does not know, like &nbsp;, by their numbers",
        .mend = mend_entities},
    Fixer{.name = "encoding",
          .tier = Mend::safe,
          .about = "corrects a declared encoding when the document is in UTF-8",
          .mend = mend_encoding},
    Fixer{.name = "identifier",
          .tier = Mend::safe,
          .about = "joins unique-identifier with the only dc:identifier that there is",
          .mend = mend_identifier},
    Fixer{.name = "manifest",
          .tier = Mend::safe,
          .about = "drops items of files that are not in the book when nothing refers to them",
          .mend = mend_manifest},
    Fixer{.name = "items",
          .tier = Mend::safe,
          .about = "adds images, fonts and style sheets that are referred to to the manifest",
          .mend = mend_items},
    Fixer{.name = "guide",
          .tier = Mend::safe,
          .about = "drops references of the guide to files that are not in the book",
          .mend = mend_guide},
    Fixer{.name = "media-types",
          .tier = Mend::safe,
          .about = "declares images as what their first bytes say",
          .mend = mend_media_types},
    Fixer{.name = "dates",
          .tier = Mend::safe,
          .about = "writes dates that have one reading as year-month-day",
          .mend = mend_dates},
    Fixer{.name = "ncx-uid",
          .tier = Mend::safe,
          .about = "makes the identifier in the NCX that of the package document",
          .mend = mend_ncx_uid},
    Fixer{.name = "play-order",
          .tier = Mend::safe,
          .about = "counts playOrder anew in the order of the NCX",
          .mend = mend_play_order},
    Fixer{.name = "ids",
          .tier = Mend::safe,
          .about = "gives ids that are no XML names, or stand twice, names of their own, and lets "
                   "references follow",
          .mend = mend_ids},
    Fixer{.name = "languages",
          .tier = Mend::safe,
          .about = "writes languages with hyphens: pt_BR is pt-BR",
          .mend = mend_languages},
    Fixer{.name = "urls",
          .tier = Mend::safe,
          .about = "writes spaces and other characters that no URL may have as percent-codes",
          .mend = mend_urls},
    Fixer{.name = "lengths",
          .tier = Mend::safe,
          .about = "writes width=\"300px\" of an image as 300",
          .mend = mend_lengths},
    Fixer{.name = "svg-background",
          .tier = Mend::safe,
          .about = "takes enable-background from the shapes of a drawing, where it has no effect",
          .mend = mend_svg_background},
};

}  // namespace

std::span<const Fixer> safe_fixers() { return kSafe; }
std::span<const Fixer> ask_fixers() { return {}; }

}  // namespace tidemill::book
