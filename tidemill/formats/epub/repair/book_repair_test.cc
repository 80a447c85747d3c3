// The guarantees of a repair, independent of the fixers: never worse, the same text, the same bytes
// where nothing was changed, and deterministic.
#include "tidemill/formats/epub/repair/book_repair.h"

#include "tidemill/formats/epub/repair/draft.h"
#include "tidemill/formats/epub/repair/repair_testing.h"

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
  const zip::ZipEntry* entry = archive ? archive->find(name) : nullptr;
  if (entry == nullptr) return "not there";
  std::string bytes = std::to_string(entry->dos_time) + " " + std::to_string(entry->crc) + " ";
  EXPECT_TRUE(archive->read_raw(*entry, [&](std::string_view part) {
    bytes += part;
    return true;
  }));
  return bytes;
}

TEST(Repairability, LeavesAValidBookUnchanged) {
  const Repair repair = repaired(epub3());
  EXPECT_FALSE(repair.repaired.is_accepted);
  EXPECT_EQ(repair.repaired.refusal, "");
  EXPECT_EQ(repair.repaired.plan, RepairPlan{});
}

TEST(Repairability, KeepsTheCompressedBytesOfUnchangedEntries) {
  const std::string book =
      packed(with_mimetype_last(with(epub2(), "OPS/toc.ncx", "urn:x:1", "y")), false);
  const Repair repair = repaired(book);
  ASSERT_TRUE(repair.repaired.is_accepted);
  for (const auto* name : {"META-INF/container.xml", "OPS/p.opf", "OPS/a.xhtml"}) {
    EXPECT_EQ(raw(repair.book, name), raw(book, name)) << name;
  }
  EXPECT_NE(raw(repair.book, "OPS/toc.ncx"), raw(book, "OPS/toc.ncx"));
}

TEST(Repairability, IsDeterministic) {
  const Entries book = with_mimetype_last(with(epub2(), "OPS/toc.ncx", "urn:x:1", "y"));
  EXPECT_EQ(repaired(book).book, repaired(book).book);
}

TEST(Repairability, IsIdempotent) {
  const Repair once = repaired(with_mimetype_last(epub3()));
  ASSERT_TRUE(once.repaired.is_accepted);
  EXPECT_EQ(repaired(once.book).repaired.plan, RepairPlan{});
}

// Without its folder the book becomes readable and shows a fault that was hidden before.
TEST(Repairability, RejectsARepairThatBreaksAnotherRule) {
  Entries nested = with(epub3(), "OPS/a.xhtml", "one", "<a href='gone.xhtml'>one</a>");
  for (auto& [name, content] : nested) name.insert(0, "book/");
  const Repair repair = repaired(nested);
  EXPECT_FALSE(repair.repaired.is_accepted);
  EXPECT_EQ(repair.repaired.refusal, "it would break RSC-007, which it does not break now");
}

// The entity is repaired, but the document is unreadable after it, as before.
TEST(Repairability, RejectsARepairThatFixesNoError) {
  const Repair repair = repaired(with(epub3(), "OPS/a.xhtml", "one", "&nbsp;<b>"));
  EXPECT_FALSE(repair.repaired.is_accepted);
  EXPECT_EQ(repair.repaired.refusal, "it would not fix any error");
}

// A document fixer that makes the result worse is left out, and the others run.
TEST(Repairability, SkipsAFixerThatMakesTheResultWorse) {
  Entries book = with(epub3(), "OPS/a.xhtml", "one",
                      "<img alt='' src='i.gif'/><a href='https://example.org/a b'>one</a>");
  // A broken image: it may become an item of the manifest, which then cannot be read.
  book.emplace_back("OPS/i.gif", "GIF8");
  const Repair repair = repaired(book);
  ASSERT_TRUE(repair.repaired.is_accepted) << repair.repaired.refusal;
  EXPECT_EQ(repair.fixers(), std::set<std::string>{"urls"});
  EXPECT_EQ(errors_of(repair.repaired.after), Ids{"RSC-008"});
  EXPECT_TRUE(repair.has_declined("together with items it would break"));
}

// If two fixers make the result worse, leaving one out does not help; the others run alone.
TEST(Repairability, AppliesTheRemainingFixersWhenSeveralMakeTheResultWorse) {
  Entries book = with(epub3(), "OPS/a.xhtml", "one",
                      "<img alt='' src='i.gif'/><a href='https://example.org/a b'>one</a>");
  book.emplace_back("OPS/i.gif", "GIF8");
  book = with_item(book, R"(<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>)");
  book.emplace_back("OPS/b.xhtml", xhtml("<p>&nbsp;<a href='gone.xhtml'>b</a></p>"));
  const Repair repair = repaired(book);
  ASSERT_TRUE(repair.repaired.is_accepted) << repair.repaired.refusal;
  EXPECT_EQ(repair.fixers(), std::set<std::string>{"urls"});
}

// Findings keeps 200 places per rule, so one round sees no more; the complete repair fixes all.
TEST(Repairability, RepeatsUntilNothingChanges) {
  std::string images;
  Entries book = epub3();
  for (int at = 0; at < 900; ++at) {
    const std::string name = std::to_string(at) + ".gif";
    images += "<img alt='' src='" + name + "'/>";
    book.emplace_back("OPS/" + name, gif());
  }
  const Repair repair = repaired(with(book, "OPS/a.xhtml", "one", images));
  ASSERT_TRUE(repair.repaired.is_accepted) << repair.repaired.refusal;
  EXPECT_EQ(errors_of(repair.repaired.after), Ids{});
  EXPECT_EQ(repair.repaired.plan.changes.size(), 5U);
  EXPECT_FALSE(repaired(repair.book).repaired.is_accepted);
}

TEST(Repairability, DeclinesSignedAndDrmProtectedBooks) {
  Entries signed_book = with_mimetype_last(epub3());
  signed_book.emplace_back(
      "META-INF/signatures.xml",
      R"(<signatures xmlns="urn:oasis:names:tc:opendocument:xmlns:container"/>)");
  EXPECT_EQ(repaired(signed_book).repaired.refusal,
            "the book is signed, and a repair would break the signature");
  Entries locked = with_mimetype_last(epub3());
  locked.emplace_back(
      "META-INF/encryption.xml",
      R"(<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container")"
      R"( xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>)"
      R"(<enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>)"
      R"(<enc:CipherData><enc:CipherReference URI="OPS/a.xhtml"/></enc:CipherData>)"
      R"(</enc:EncryptedData></encryption>)");
  EXPECT_EQ(repaired(locked).repaired.refusal, "the book is protected by DRM");
}

TEST(Repairability, ContainerTierDoesNotChangeDocuments) {
  const Entries book = with_mimetype_last(with(epub2(), "OPS/toc.ncx", "urn:x:1", "y"));
  const Repair repair = repaired(book, {.most = Repairability::container});
  ASSERT_TRUE(repair.repaired.is_accepted);
  EXPECT_EQ(repair.fixers(), std::set<std::string>{"mimetype"});
  EXPECT_EQ(errors_of(repair.repaired.after), Ids{"NCX-001"});
}

TEST(Repairability, DoesNotRunARefusedFixer) {
  const Entries book = with(epub2(), "OPS/toc.ncx", "urn:x:1", "y");
  EXPECT_FALSE(repaired(book, {.refused = {"ncx-uid"}}).repaired.is_accepted);
}

TEST(Repairability, LeavesAFileThatIsNotABookUnchanged) {
  for (const std::string_view bytes : {std::string_view(), std::string_view("PK"),
                                       std::string_view("this is no book at all, only text")}) {
    EXPECT_FALSE(repaired(bytes).repaired.is_accepted);
  }
}

TEST(Repairability, RebuildsAMissingCentralDirectory) {
  const std::string book = packed(epub3());
  const Repair repair = repaired(book.substr(0, book.find("PK\1\2")));
  ASSERT_TRUE(repair.repaired.is_accepted) << repair.repaired.refusal;
  EXPECT_EQ(errors_of(repair.repaired.after), Ids{});
  EXPECT_EQ(repair.content("OPS/a.xhtml"), content_of(book, "OPS/a.xhtml"));
}

// The names in order, with "*" for new contents.
std::string shown(const BookDraft& draft) {
  std::string text;
  for (const DraftEntry& entry : draft.entries()) text += entry.name + (entry.bytes ? "* " : " ");
  return text;
}

TEST(BookDraft, EntriesAreRenamedRewrittenMovedAddedAndDropped) {
  const zip::MemoryFile file(packed({{"a", "1"}, {"b", "2"}, {"a", "3"}}));
  const auto archive = zip::Archive::open(file.fd());
  ASSERT_TRUE(archive);
  BookDraft draft(*archive);
  EXPECT_FALSE(draft.is_changed());
  EXPECT_EQ(*draft.contents("a"), "3");  // the last with that name
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
