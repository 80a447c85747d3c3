// What a repair promises, whatever the fixers do: never worse, the same text, the same bytes where
// nothing was changed, the same again.
#include "tidemill/formats/epub/repair/mend.h"

#include "tidemill/formats/epub/repair/draft.h"
#include "tidemill/formats/epub/repair/mend_testing.h"

namespace tidemill::epub {
namespace {

Entries with_mimetype_last(Entries entries) {
  std::ranges::rotate(entries, entries.begin() + 1);
  return entries;
}

// The compressed bytes of an entry, and its time.
std::string raw(std::string_view book, std::string_view name) {
  const zip::MemoryFile file(book);
  const auto archive = zip::Archive::open(file.fd());
  const zip::Entry* entry = archive ? archive->find(name) : nullptr;
  if (entry == nullptr) return "not there";
  std::string bytes = std::to_string(entry->dos_time) + " " + std::to_string(entry->crc) + " ";
  EXPECT_TRUE(archive->read_raw(*entry, [&](std::string_view part) {
    bytes += part;
    return true;
  }));
  return bytes;
}

TEST(Mend, ASoundBookIsLeftAlone) {
  const Repair repair = repaired(epub3());
  EXPECT_FALSE(repair.mended.is_accepted);
  EXPECT_EQ(repair.mended.refusal, "");
  EXPECT_EQ(repair.mended.plan, Plan{});
}

TEST(Mend, WhatIsNotTouchedKeepsItsCompressedBytes) {
  const std::string book =
      packed(with_mimetype_last(with(epub2(), "OPS/toc.ncx", "urn:x:1", "y")), false);
  const Repair repair = repaired(book);
  ASSERT_TRUE(repair.mended.is_accepted);
  for (const auto* name : {"META-INF/container.xml", "OPS/p.opf", "OPS/a.xhtml"}) {
    EXPECT_EQ(raw(repair.book, name), raw(book, name)) << name;
  }
  EXPECT_NE(raw(repair.book, "OPS/toc.ncx"), raw(book, "OPS/toc.ncx"));
}

TEST(Mend, TheSameBookGivesTheSameBytes) {
  const Entries book = with_mimetype_last(with(epub2(), "OPS/toc.ncx", "urn:x:1", "y"));
  EXPECT_EQ(repaired(book).book, repaired(book).book);
}

TEST(Mend, ASecondTimeThereIsNothingToDo) {
  const Repair once = repaired(with_mimetype_last(epub3()));
  ASSERT_TRUE(once.mended.is_accepted);
  EXPECT_EQ(repaired(once.book).mended.plan, Plan{});
}

// Without its folder the book can be read at last, and shows a fault that could not be seen before.
TEST(Mend, ARepairThatBreaksAnotherRuleIsRefused) {
  Entries nested = with(epub3(), "OPS/a.xhtml", "one", "<a href='gone.xhtml'>one</a>");
  for (auto& [name, content] : nested) name.insert(0, "book/");
  const Repair repair = repaired(nested);
  EXPECT_FALSE(repair.mended.is_accepted);
  EXPECT_EQ(repair.mended.refusal, "it would break RSC-007, which it does not break now");
}

// The entity is mended, and behind it the document is as unreadable as before.
TEST(Mend, ARepairThatLeavesAsManyErrorsIsRefused) {
  const Repair repair = repaired(with(epub3(), "OPS/a.xhtml", "one", "&nbsp;<b>"));
  EXPECT_FALSE(repair.mended.is_accepted);
  EXPECT_EQ(repair.mended.refusal, "it would not fix any error");
}

// A fixer of documents that makes things worse is left out, and the others act.
TEST(Mend, WhatWouldSpoilTheWholeIsLeftOut) {
  Entries book = with(epub3(), "OPS/a.xhtml", "one",
                      "<img alt='' src='i.gif'/><a href='https://example.org/a b'>one</a>");
  // An image that lies about itself: it may become an item, and then is one that cannot be read.
  book.emplace_back("OPS/i.gif", "GIF8");
  const Repair repair = repaired(book);
  ASSERT_TRUE(repair.mended.is_accepted) << repair.mended.refusal;
  EXPECT_EQ(repair.fixers(), std::set<std::string>{"urls"});
  EXPECT_EQ(errors_of(repair.mended.after), Ids{"RSC-008"});
  EXPECT_TRUE(repair.has_declined("together with items it would break"));
}

// With two that make things worse no one of them can be left out, and those that do not act alone.
TEST(Mend, WhatIsLeftOfSeveralThatSpoilTheWholeActsAlone) {
  Entries book = with(epub3(), "OPS/a.xhtml", "one",
                      "<img alt='' src='i.gif'/><a href='https://example.org/a b'>one</a>");
  book.emplace_back("OPS/i.gif", "GIF8");
  book = with_item(book, R"(<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>)");
  book.emplace_back("OPS/b.xhtml", xhtml("<p>&nbsp;<a href='gone.xhtml'>b</a></p>"));
  const Repair repair = repaired(book);
  ASSERT_TRUE(repair.mended.is_accepted) << repair.mended.refusal;
  EXPECT_EQ(repair.fixers(), std::set<std::string>{"urls"});
}

// Of each rule 200 places are kept, so one round sees no more; one repair sees them all.
TEST(Mend, IsRepeatedUntilNothingChanges) {
  std::string images;
  Entries book = epub3();
  for (int at = 0; at < 900; ++at) {
    const std::string name = std::to_string(at) + ".gif";
    images += "<img alt='' src='" + name + "'/>";
    book.emplace_back("OPS/" + name, gif());
  }
  const Repair repair = repaired(with(book, "OPS/a.xhtml", "one", images));
  ASSERT_TRUE(repair.mended.is_accepted) << repair.mended.refusal;
  EXPECT_EQ(errors_of(repair.mended.after), Ids{});
  EXPECT_EQ(repair.mended.plan.changes.size(), 5U);
  EXPECT_FALSE(repaired(repair.book).mended.is_accepted);
}

TEST(Mend, AProtectedBookAndASignedOneAreDeclined) {
  Entries signed_book = with_mimetype_last(epub3());
  signed_book.emplace_back(
      "META-INF/signatures.xml",
      R"(<signatures xmlns="urn:oasis:names:tc:opendocument:xmlns:container"/>)");
  EXPECT_EQ(repaired(signed_book).mended.refusal,
            "the book is signed, and a repair would break the signature");
  Entries locked = with_mimetype_last(epub3());
  locked.emplace_back(
      "META-INF/encryption.xml",
      R"(<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container")"
      R"( xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>)"
      R"(<enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>)"
      R"(<enc:CipherData><enc:CipherReference URI="OPS/a.xhtml"/></enc:CipherData>)"
      R"(</enc:EncryptedData></encryption>)");
  EXPECT_EQ(repaired(locked).mended.refusal, "the book is protected by DRM");
}

TEST(Mend, TheTierOfTheContainerLeavesDocumentsAlone) {
  const Entries book = with_mimetype_last(with(epub2(), "OPS/toc.ncx", "urn:x:1", "y"));
  const Repair repair = repaired(book, {.most = Mend::container});
  ASSERT_TRUE(repair.mended.is_accepted);
  EXPECT_EQ(repair.fixers(), std::set<std::string>{"mimetype"});
  EXPECT_EQ(errors_of(repair.mended.after), Ids{"NCX-001"});
}

TEST(Mend, AFixerThatIsRefusedDoesNotAct) {
  const Entries book = with(epub2(), "OPS/toc.ncx", "urn:x:1", "y");
  EXPECT_FALSE(repaired(book, {.refused = {"ncx-uid"}}).mended.is_accepted);
}

TEST(Mend, AFileThatIsNoBookIsLeftAlone) {
  for (const std::string_view bytes : {std::string_view(), std::string_view("PK"),
                                       std::string_view("this is no book at all, only text")}) {
    EXPECT_FALSE(repaired(bytes).mended.is_accepted);
  }
}

TEST(Mend, ABookWithoutItsDirectoryGetsAnother) {
  const std::string book = packed(epub3());
  const Repair repair = repaired(book.substr(0, book.find("PK\1\2")));
  ASSERT_TRUE(repair.mended.is_accepted) << repair.mended.refusal;
  EXPECT_EQ(errors_of(repair.mended.after), Ids{});
  EXPECT_EQ(repair.content("OPS/a.xhtml"), content_of(book, "OPS/a.xhtml"));
}

// Of each step: the names in their order, "*" for new contents.
std::string shown(const Draft& draft) {
  std::string text;
  for (const DraftEntry& entry : draft.entries()) text += entry.name + (entry.bytes ? "* " : " ");
  return text;
}

TEST(Draft, EntriesAreRenamedRewrittenMovedAddedAndDropped) {
  const zip::MemoryFile file(packed({{"a", "1"}, {"b", "2"}, {"a", "3"}}));
  const auto archive = zip::Archive::open(file.fd());
  ASSERT_TRUE(archive);
  Draft draft(*archive);
  EXPECT_FALSE(draft.is_changed());
  EXPECT_EQ(*draft.contents("a"), "3");  // the last of that name
  EXPECT_FALSE(draft.contents("c"));
  draft.rewrite("a", "4");
  EXPECT_EQ(shown(draft), "a b a* ");
  EXPECT_EQ(*draft.contents("a"), "4");
  draft.rename(2, "c");
  EXPECT_EQ(*draft.contents("a"), "1");
  EXPECT_EQ(*draft.contents("c"), "4");
  draft.move_to_front(2);
  draft.add({.name = "d", .bytes = "5", .is_stored = true}, 1);
  EXPECT_EQ(shown(draft), "c* d* a b ");
  EXPECT_EQ(*draft.contents("b"), "2");
  draft.drop({0, 2});
  EXPECT_EQ(shown(draft), "d* b ");
  EXPECT_EQ(draft.find("a"), nullptr);
  EXPECT_TRUE(draft.is_changed());
  const zip::MemoryFile out;
  ASSERT_TRUE(draft.write(out.fd()));
  EXPECT_EQ(content_of(out.bytes(), "d") + content_of(out.bytes(), "b"), "52");
}

}  // namespace
}  // namespace tidemill::epub
