// The fixers of documents, one function each, grouped by source file; safe.cc has the table.
#pragma once

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/draft.h"
#include "tidemill/formats/epub/repair/plan.h"

namespace tidemill::epub {

// Each in a file with its name.
void fix_entities(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_encoding(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_prolog(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_roots(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_rootfile(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_spine(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_file_names(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_ids(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_style_sheets(const Inspection& found, BookDraft& draft, RepairPlan& plan);

// package.cc
void fix_edition(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_order(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_guide(const Inspection& found, BookDraft& draft, RepairPlan& plan);

// metadata.cc
void fix_dublin_core(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_identifier(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_dates(const Inspection& found, BookDraft& draft, RepairPlan& plan);

// manifest.cc
void fix_doubles(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_manifest(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_items(const Inspection& found, BookDraft& draft, RepairPlan& plan);

// item_attributes.cc
void fix_media_types(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_properties(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_fallbacks(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_overlays(const Inspection& found, BookDraft& draft, RepairPlan& plan);

// navigation.cc
void fix_nav(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_ncx_uid(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_play_order(const Inspection& found, BookDraft& draft, RepairPlan& plan);

// urls.cc
void fix_names(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_hrefs(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_urls(const Inspection& found, BookDraft& draft, RepairPlan& plan);

// content_attributes.cc
void fix_languages(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_lengths(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_view_box(const Inspection& found, BookDraft& draft, RepairPlan& plan);
void fix_svg_background(const Inspection& found, BookDraft& draft, RepairPlan& plan);

}  // namespace tidemill::epub
