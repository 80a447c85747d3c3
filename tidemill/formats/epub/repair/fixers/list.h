// The fixers of documents, one function each, by the file that has them; safe.cc has the table.
#pragma once

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/draft.h"
#include "tidemill/formats/epub/repair/plan.h"

namespace tidemill::epub {

// Each in a file of its own name.
void mend_entities(const Inspection& found, Draft& draft, Plan& plan);
void mend_encoding(const Inspection& found, Draft& draft, Plan& plan);
void mend_prolog(const Inspection& found, Draft& draft, Plan& plan);
void mend_roots(const Inspection& found, Draft& draft, Plan& plan);
void mend_rootfile(const Inspection& found, Draft& draft, Plan& plan);
void mend_spine(const Inspection& found, Draft& draft, Plan& plan);
void mend_file_names(const Inspection& found, Draft& draft, Plan& plan);
void mend_ids(const Inspection& found, Draft& draft, Plan& plan);
void mend_style_sheets(const Inspection& found, Draft& draft, Plan& plan);

// package.cc
void mend_edition(const Inspection& found, Draft& draft, Plan& plan);
void mend_order(const Inspection& found, Draft& draft, Plan& plan);
void mend_guide(const Inspection& found, Draft& draft, Plan& plan);

// metadata.cc
void mend_dublin_core(const Inspection& found, Draft& draft, Plan& plan);
void mend_identifier(const Inspection& found, Draft& draft, Plan& plan);
void mend_dates(const Inspection& found, Draft& draft, Plan& plan);

// manifest.cc
void mend_doubles(const Inspection& found, Draft& draft, Plan& plan);
void mend_manifest(const Inspection& found, Draft& draft, Plan& plan);
void mend_items(const Inspection& found, Draft& draft, Plan& plan);

// item_attributes.cc
void mend_media_types(const Inspection& found, Draft& draft, Plan& plan);
void mend_properties(const Inspection& found, Draft& draft, Plan& plan);
void mend_fallbacks(const Inspection& found, Draft& draft, Plan& plan);
void mend_overlays(const Inspection& found, Draft& draft, Plan& plan);

// navigation.cc
void mend_nav(const Inspection& found, Draft& draft, Plan& plan);
void mend_ncx_uid(const Inspection& found, Draft& draft, Plan& plan);
void mend_play_order(const Inspection& found, Draft& draft, Plan& plan);

// urls.cc
void mend_names(const Inspection& found, Draft& draft, Plan& plan);
void mend_hrefs(const Inspection& found, Draft& draft, Plan& plan);
void mend_urls(const Inspection& found, Draft& draft, Plan& plan);

// content_attributes.cc
void mend_languages(const Inspection& found, Draft& draft, Plan& plan);
void mend_lengths(const Inspection& found, Draft& draft, Plan& plan);
void mend_view_box(const Inspection& found, Draft& draft, Plan& plan);
void mend_svg_background(const Inspection& found, Draft& draft, Plan& plan);

}  // namespace tidemill::epub
