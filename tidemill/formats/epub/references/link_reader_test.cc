// References of documents, from the tag that contains them to the final check.
#include "tidemill/formats/epub/references/link_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tidemill/formats/epub/content/resource_check.h"
#include "tidemill/formats/epub/references/html_links.h"
#include "tidemill/formats/epub/references/judge.h"
#include "tidemill/formats/epub/references/svg_links.h"

namespace tidemill::epub {
namespace {

using namespace std::string_view_literals;

// A book with some items; reads documents as the body of an html element.
struct Book {
  Inspection book{};

  explicit Book(Edition edition = Edition::epub3) {
    book.package.edition = edition;
    book.package.path = "OPS/package.opf";
    item("OPS/a.xhtml", "application/xhtml+xml", true);
    item("OPS/b.xhtml", "application/xhtml+xml", true);
    item("OPS/c.xhtml", "application/xhtml+xml", false);
    item("OPS/a.png", "image/png", false);
    item("OPS/a.xyz", "image/xyz", false);
    item("OPS/a.svg", "image/svg+xml", false);
    item("OPS/a.mp3", "audio/mpeg", false);
    item("OPS/a.css", "text/css", false);
    item("https://x/a.mp4", "video/mp4", false);
  }
  void item(std::string path, std::string type, bool is_in_spine) {
    Package& package = book.package;
    package.by_path.emplace(path, package.items.size());
    package.by_id.emplace(path, package.items.size());
    package.items.push_back({.id = path,
                             .href = path,
                             .path = path,
                             .media_type = std::move(type),
                             .is_remote = path.starts_with("http")});
    if (!is_in_spine) return;
    package.spine_by_id.emplace(path, package.spine.size());
    package.spine.push_back({.idref = path});
  }
  Book& read(std::string_view body, std::string path = "OPS/a.xhtml") {
    return read_all(
        "<html xmlns=\"http://www.w3.org/1999/xhtml\" "
        "xmlns:xlink=\"http://www.w3.org/1999/xlink\"><body>" +
            std::string(body) + "</body></html>",
        std::move(path));
  }
  Book& read_all(const std::string& text, std::string path) {
    Document document{.book = &book, .path = std::move(path)};
    document.item = book.package.item_at(document.path);
    LinkReader reader(document);
    EXPECT_FALSE(xml::read(text, reader).mistake) << text;
    reader.finish();
    book.references.mark_read(document.path);
    return *this;
  }
  std::string judged() {
    judge_references(book);
    return ids();
  }
  [[nodiscard]] std::string ids() const {
    std::vector<std::string> all;
    for (const Finding& one : book.findings.kept()) all.emplace_back(one.rule.text());
    std::ranges::sort(all);
    std::string out;
    for (const std::string& id : all) out += id + " ";
    return out;
  }
  Traits& traits() { return book.traits["OPS/a.xhtml"]; }
};

std::string judged(std::string_view body, Edition edition = Edition::epub3) {
  return Book(edition).read(body).judged();
}

TEST(Links, HaveNoFindingsWhenValid) {
  EXPECT_EQ(judged("<a id='x' href='b.xhtml'/><a href='#x'/><a href='.'/><img src='a.png'/>"
                   "<a href='mailto:x@y'/><a href='http://x/y'/><img src='a.svg#xywh=1,1,1,1'/>"
                   "<a href='package.opf#epubcfi(/6)'/><blockquote cite='b.xhtml'/>"
                   "<video src='https://x/a.mp4'/><audio src='a.mp3'/><iframe src='b.xhtml'/>"),
            "");
}

TEST(Links, TargetMustExistAndBeDeclared) {
  EXPECT_EQ(judged("<a href='none.xhtml'/>"), "RSC-007 ");
  EXPECT_EQ(judged("<img src='none.png'/>", Edition::epub2), "RSC-007 ");
  EXPECT_EQ(judged("<a href='c.xhtml'/>"), "RSC-011 ");
  EXPECT_EQ(judged("<a href='a.png'/>"), "RSC-010 ");
  EXPECT_EQ(judged("<a href='#none'/>"), "RSC-012 ");
  EXPECT_EQ(judged("<audio src='https://x/other.mp3'/><audio src='https://x/other.mp3'/>"),
            "RSC-008 ");
  // A document that was not read has no ids.
  EXPECT_EQ(judged("<a href='b.xhtml#none'/>"), "RSC-012 ");
}

TEST(Links, TargetMustBeOfTheRightKind) {
  EXPECT_EQ(judged("<img src='a.png#x'/>"), "RSC-009 ");
  EXPECT_EQ(judged("<link rel='StyleSheet' href='a.css#x'/>"), "RSC-013 ");
  EXPECT_EQ(judged("<svg xmlns='http://www.w3.org/2000/svg'><use xlink:href='a.svg'/></svg>"),
            "RSC-015 ");
  EXPECT_EQ(judged("<a href='#s'/><svg xmlns='http://www.w3.org/2000/svg'><symbol id='s'/>"
                   "<use xlink:href='#s'/></svg>"),
            "RSC-014 ");
  EXPECT_EQ(judged("<svg xmlns='http://www.w3.org/2000/svg'><pattern id='p'/><g id='g'/>"
                   "<path fill='url(#p)' stroke='url(#g)'/></svg>"),
            "RSC-014 ");
}

TEST(Links, MayBeRemoteOnlyForAudioVideoAndFonts) {
  EXPECT_EQ(judged("<img src='https://x/a.png'/>"), "RSC-006 ");
  EXPECT_EQ(judged("<script src='https://x/a.js'/>"), "RSC-006 ");
  EXPECT_EQ(judged("<video src='http://x/b.mp4'/>"), "RSC-008 RSC-031 ");
  Book book;
  book.item("https://x/i.png", "image/png", false);
  EXPECT_EQ(book.read("<a href='https://x/i.png'/>").judged(), "RSC-006 ");
  Book scripted;
  scripted.item("https://x/i.png", "image/png", false);
  EXPECT_EQ(scripted.read("<p onclick='x'/>").judged(), "RSC-006b ");
}

TEST(Links, ToForeignResourcesNeedAFallback) {
  EXPECT_EQ(judged("<img src='a.xyz'/>"), "RSC-032 ");
  EXPECT_EQ(judged("<object data='a.xyz'/>"), "RSC-032 ");
  EXPECT_EQ(judged("<object data='a.xyz'><p>text</p></object>"), "");
  EXPECT_EQ(judged("<object data='a.xyz'><p hidden='hidden'>text</p></object>"), "RSC-032 ");
  EXPECT_EQ(judged("<audio><source src='a.xyz'/></audio>"), "RSC-032 ");
  EXPECT_EQ(judged("<audio><source src='a.xyz'/><source src='a.mp3'/></audio>"), "");
  EXPECT_EQ(judged("<picture><source srcset='a.xyz 2x' type='image/xyz'/><img src='a.png'/>"
                   "</picture>"),
            "");
  EXPECT_EQ(judged("<picture><source srcset='a.xyz'/><img src='a.xyz'/></picture>"),
            "MED-003 MED-007 ");
  EXPECT_EQ(judged("<picture><source srcset='a.png'/><img src='a.png'/></picture>"), "OPF-013 ");
  EXPECT_EQ(judged("<embed type='image/gif' src='a.png'/>"), "OPF-013 ");
  EXPECT_EQ(judged("<img src='data:image/xyz,a'/>"), "RSC-032 ");
  Book book;
  book.book.package.items[4].fallback = "OPS/a.png";
  EXPECT_EQ(book.read("<img src='a.xyz'/>").judged(), "");
}

TEST(Links, UrlsAreCheckedWhileReading) {
  Book book;
  book.read(
      "<a href='b c'/><a href='b.xhtml?x'/><a href='file:///x'/><a href=' '/>"
      "<a href='foo:x'/><a href='data:text/plain,x'/><a href='http://a b/'/>");
  EXPECT_EQ(book.ids(), "HTM-025 HTM-045 RSC-020 RSC-020 RSC-029 RSC-030 RSC-033 ");
}

TEST(Links, QueriesAreNotReportedAfterAnExternalUrl) {
  EXPECT_EQ(Book().read("<a href='b.xhtml?x'/><a href='http://x/'/>").ids(), "RSC-033 ");
  EXPECT_EQ(Book().read("<a href='http://x/'/><a href='b.xhtml?x'/>").ids(), "");
}

TEST(Links, ResolveAgainstTheBaseUrl) {
  EXPECT_EQ(judged("<p xml:base='http://x/'><img src='a.png'/></p><img src='a.png'/>"), "RSC-006 ");
  EXPECT_EQ(Book()
                .read_all("<html xmlns='http://www.w3.org/1999/xhtml'><head>"
                          "<base href='../'/></head><img src='OPS/a.png'/></html>",
                          "OPS/a.xhtml")
                .judged(),
            "");
}

TEST(Links, TraitsAreRecorded) {
  Book book;
  book.read("<script type='text/plain'/><p>x</p>");
  EXPECT_FALSE(book.traits().is_scripted);
  book.read(
      "<script/><form/><figure/><table/><audio/><video/><img src='a.svg'/>"
      "<math xmlns='http://www.w3.org/1998/Math/MathML'/>"
      "<svg xmlns='http://www.w3.org/2000/svg'/><style>a{b:c}</style>"
      "<img src='https://x/y'/>");
  const Traits& traits = book.traits();
  EXPECT_TRUE(traits.is_scripted && traits.has_forms && traits.refers_to_svg && traits.has_mathml &&
              traits.has_svg && traits.has_css && traits.has_remote_resources);
}

TEST(Links, EmbeddedCssIsChecked) {
  EXPECT_EQ(judged("<style>a{b:url(none.png)}</style><p style='a'/>"), "CSS-008 RSC-007 ");
  Book svg;
  svg.read_all(
      "<?xml-stylesheet href='none.css' type='text/css'?>"
      "<svg xmlns='http://www.w3.org/2000/svg'><svg/></svg>",
      "OPS/a.svg");
  EXPECT_EQ(svg.judged(), "RSC-007 ");
  EXPECT_FALSE(svg.book.traits["OPS/a.svg"].has_svg);
}

TEST(Links, TableOfContentsMustFollowSpineAndDocumentOrder) {
  const auto order = [](const std::vector<std::string>& urls) {
    Book book;
    book.read("<p id='p'/><p id='q'/>");
    for (const std::string& url : urls) {
      book.book.references.add({.use = Use::nav_toc,
                                .from = "OPS/nav.xhtml",
                                .url = url,
                                .target = resolve(url, "OPS/nav.xhtml")});
    }
    return book.judged();
  };
  EXPECT_EQ(order({"a.xhtml", "a.xhtml#p", "a.xhtml#q", "b.xhtml"}), "");
  EXPECT_EQ(order({"b.xhtml", "a.xhtml"}), "NAV-011 ");
  EXPECT_EQ(order({"a.xhtml#q", "a.xhtml#p"}), "NAV-011 ");
  EXPECT_EQ(order({"https://x/"}), "NAV-010 ");
}

TEST(Links, IdsAfterAMarkupErrorAreMissingUnlessReadingWasCutShort) {
  const auto link_to_b = [](bool is_cut) {
    Book book;
    book.read("<p><a href='b.xhtml#seen'/><a href='b.xhtml#behind'/></p>");
    book.book.references.add_anchor("OPS/b.xhtml", "seen", Anchor::element);
    if (is_cut) book.book.references.mark_cut("OPS/b.xhtml");
    return book.judged();
  };
  EXPECT_EQ(link_to_b(false), "RSC-012 ");
  EXPECT_EQ(link_to_b(true), "");
}

TEST(Links, CountReferencesDroppedAtTheMemoryLimit) {
  References references;
  const std::string url(References::kMostBytes / 4, 'x');
  for (int i = 0; i < 6; ++i) references.add({.url = url});
  EXPECT_EQ(references.all().size(), 3U);
  EXPECT_EQ(references.dropped(), 3U);
  references.mark_read("a");
  const std::string id(References::kMostAnchorBytes, 'x');
  references.add_anchor("a", id, Anchor::element);
  EXPECT_TRUE(references.was_read("a"));
  references.add_anchor("a", "b", Anchor::element);
  EXPECT_FALSE(references.was_read("a"));
}

TEST(Srcset, UrlsAreExtracted) {
  using Urls = std::vector<std::string_view>;
  EXPECT_EQ(image_urls(" a.png 2x, b.png 100w ,c,d.png"), (Urls{"a.png", "b.png", "c,d.png"}));
  EXPECT_EQ(image_urls("a, b (x, y), c"), (Urls{"a", "b", "c"}));
  EXPECT_EQ(image_urls("data:image/png;base64, AA"), (Urls{"data:image/png;base64, AA"}));
  EXPECT_EQ(pseudo_attribute("href='a' type = \"b\"", "type"), "b");
}

TEST(Images, AreIdentifiedByTheirBytes) {
  EXPECT_EQ(format_of_bytes("GIF89a"), ImageFormat::gif);
  EXPECT_EQ(format_of_bytes("GIF80a"), ImageFormat::unknown);
  EXPECT_TRUE(begins_as("GIF80a", ImageFormat::gif));
  EXPECT_TRUE(is_broken_image("\x89PNG\r\n\x1A\n", ImageFormat::png, true));
  const std::string gif("GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0", 23);
  EXPECT_FALSE(is_broken_image(gif, ImageFormat::gif, true));
  EXPECT_TRUE(is_broken_image(gif.substr(0, 16), ImageFormat::gif, true));
  const auto jpeg = "\xFF\xD8\xFF\xE0\0\4xx\xFF\xC0\0\x0B\x08\0\1\0\1"sv;
  EXPECT_FALSE(is_broken_image(jpeg, ImageFormat::jpeg, true));
  EXPECT_TRUE(is_broken_image(jpeg.substr(0, 8), ImageFormat::jpeg, true));
  EXPECT_FALSE(is_broken_image(jpeg.substr(0, 8), ImageFormat::jpeg, false));
}

}  // namespace
}  // namespace tidemill::epub
