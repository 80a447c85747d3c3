#!/usr/bin/env python3
"""Tests of the checkers: each passes on a sound tree and fails on every fault planted in it."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(TOOLS), str(TOOLS.parent / "tests/faults")]
import check_contracts  # noqa: E402  (its list of required promises)
from slowness import lost_in, stolen_from  # noqa: E402  (tests/faults)
from source_text import code_of  # noqa: E402

POOL_TEST = "tidemill/engine/pool_test.cc"
SOUND = {
    "tidemill/base/result.h": "#pragma once\n",
    "tidemill/base/try.h": "#pragma once\n",
    "tidemill/engine/pool.h": '#pragma once\n#include "tidemill/base/result.h"\n',
    "tidemill/engine/pool.cc": '#include "tidemill/engine/pool.h"\n#include "tidemill/base/try.h"\n',
    POOL_TEST: '#include "tidemill/testing/eventually.h"\n'
               "// TEST(Pool, OnlyInAComment)\n"
               "TEST(Pool, Works) { changed.wait_for(lock, 1ms); }  // not sleep(1)\n"
               "RC_GTEST_PROP(\n    Pool, Keeps, (int n)) {}\n",
    "tidemill/testing/eventually.h": "#pragma once\n",
    "examples/minimal.cc": '#include "tidemill/engine/pool.h"\n',
    "bench/micro/pool_bench.cc": '#include "bench/micro/report.h"\n',
}


def contracts(changes=None, extra=""):
    """A contracts page in which every required promise has a test, but for the given changes."""
    cells = {name: f"`{POOL_TEST}:Pool.Works`" for name in check_contracts.REQUIRED}
    cells.update(changes or {})
    rows = [f"| {name} | it works | {cell} |" for name, cell in cells.items() if cell is not None]
    return "\n".join(["# Contracts", "| id | promise | tests |", "|---|---|---|", *rows, extra])

MODULES = """# tidemill_module(nothing) in a comment is none
set(tidemill_layers base engine io jobs app)
tidemill_module(base)
tidemill_module(engine HOT USES base LINKS Threads::Threads)
tidemill_module(testing WHOLE MAY_USE base)
tidemill_module(io/walk)
tidemill_module(jobs/each)
tidemill_module(jobs/dupes)
"""


class Tree(unittest.TestCase):
    """A sound tree in a temporary folder, in which a test plants one fault."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for path, text in SOUND.items():
            self.write(path, text)
        self.write("docs/contracts.md", contracts())
        self.write("docs/decisions/short.md", "why\n" * 60)
        self.write("cmake/modules.cmake", MODULES)
        shutil.copy(TOOLS.parent / ".clang-format", self.root)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self, name):
        return run(TOOLS / name, self.root)

    def passes(self, name):
        ran = self.check(name)
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def fails(self, name, *said):
        ran = self.check(name)
        self.assertEqual(ran.returncode, 1, ran.stdout)
        for part in said:
            self.assertIn(part, ran.stdout)
        self.assertNotIn("Traceback", ran.stdout)


def run(program, *arguments, env=None):
    command = [sys.executable] if program.suffix == ".py" else []
    return subprocess.run([*command, program, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, env=env)


class Layers(Tree):
    def test_a_sound_tree_passes(self):
        self.passes("check_layers.py")

    def test_an_arrow_that_points_up_fails(self):
        self.write("tidemill/base/a.h", '#pragma once\n#include "tidemill/engine/pool.h"\n')
        self.fails("check_layers.py", "tidemill/base/a.h:2: base may not include engine")

    def test_an_include_in_angle_brackets_counts(self):
        self.write("tidemill/base/a.h", "#include <tidemill/engine/pool.h>\n")
        self.fails("check_layers.py", "base may not include engine")

    def test_a_relative_include_fails(self):
        self.write("tidemill/base/a.h", '#include "../engine/pool.h"\n')
        self.fails("check_layers.py", "not a path from the root")

    def test_only_tests_include_testing(self):
        self.write("tidemill/engine/a.cc", '#include "tidemill/testing/eventually.h"\n')
        self.fails("check_layers.py", "engine may not include testing")

    def test_a_rig_of_tests_includes_testing_and_only_tests_include_it(self):
        self.write("tidemill/engine/a_rig.h", '#include "tidemill/testing/eventually.h"\n')
        self.write("tidemill/engine/a_test.cc", '#include "tidemill/engine/a_rig.h"\n')
        self.passes("check_layers.py")
        self.write("tidemill/engine/a.cc", '#include "tidemill/engine/a_rig.h"\n')
        self.fails("check_layers.py", "tidemill/engine/a_rig.h is for tests")

    def test_a_job_does_not_include_a_job(self):
        self.write("tidemill/jobs/each/a.h", '#include "tidemill/jobs/dupes/a.h"\n')
        self.fails("check_layers.py", "jobs/each may not include jobs/dupes")

    def test_an_unknown_folder_fails(self):
        self.write("tidemill/misc/a.h", "#pragma once\n")
        self.fails("check_layers.py", "tidemill/misc/a.h: is in no module of cmake/modules.cmake")

    def test_an_example_that_includes_an_unknown_folder_fails(self):
        self.write("examples/odd.cc", '#include "tidemill/misc/a.h"\n')
        self.fails("check_layers.py", "examples/odd.cc:1: tidemill/misc/a.h is in no module")

    def test_try_in_a_header_fails(self):
        self.write("tidemill/engine/a.h", '#include "tidemill/base/try.h"\n')
        self.fails("check_layers.py", "try.h is for .cc files")

    def test_a_module_that_uses_what_stands_below_it_in_the_list_fails(self):
        self.write("cmake/modules.cmake", MODULES.replace("(base)", "(base USES engine)"))
        self.fails("check_layers.py", "base uses engine, which does not stand above it")

    def test_a_module_that_uses_a_layer_above_its_own_fails(self):
        self.write("cmake/modules.cmake", MODULES.replace("base engine io", "engine base io"))
        self.fails("check_layers.py", "engine may not use base: it is not in a layer below")

    def test_a_job_may_not_even_list_a_job(self):
        self.write("cmake/modules.cmake", MODULES.replace("(jobs/dupes)", "(jobs/dupes USES jobs/each)"))
        self.write("tidemill/jobs/dupes/a.h", '#include "tidemill/jobs/each/a.h"\n')
        self.fails("check_layers.py", "jobs/dupes may not use jobs/each")

    def test_a_job_includes_only_what_its_line_lists(self):
        self.write("tidemill/jobs/each/a.h", '#include "tidemill/io/walk/a.h"\n')
        self.fails("check_layers.py", "tidemill/jobs/each/a.h:1: jobs/each may not include io/walk")
        self.write("cmake/modules.cmake", MODULES.replace("(jobs/each)", "(jobs/each USES walk)"))
        self.passes("check_layers.py")

    def test_a_line_lists_only_what_is_used(self):
        self.write("cmake/modules.cmake", MODULES.replace("(jobs/each)", "(jobs/each USES walk)"))
        self.fails("check_layers.py", "jobs/each does not use walk")

    def test_a_module_stays_apart_from_another_by_every_way(self):
        apart = MODULES + "set(tidemill_apart jobs/each:base)\n"
        self.write("cmake/modules.cmake", apart)
        self.passes("check_layers.py")
        self.write("tidemill/jobs/each/a.h", '#include "tidemill/engine/pool.h"\n')
        self.write("cmake/modules.cmake", apart.replace("(jobs/each)", "(jobs/each USES engine)"))
        self.fails("check_layers.py", "jobs/each reaches base, and must not")

    def test_only_a_job_knows_its_name(self):
        self.write("tidemill/jobs/each/a.cc", 'bool f() { return card.job == "each"; }\n')
        self.passes("check_layers.py")
        self.write("tidemill/io/walk/a.cc", 'void f();\nbool g() { return card.job != "each"; }\n')
        self.fails("check_layers.py", "tidemill/io/walk/a.cc:2: asks for a job by its name")

    def test_a_room_belongs_to_its_module(self):
        self.write("tidemill/io/walk/filter/a.h", '#include "tidemill/io/walk/b.h"\n')
        self.passes("check_layers.py")
        self.write("tidemill/io/walk/filter/a.h", '#include "tidemill/base/result.h"\n')
        self.fails("check_layers.py", "io/walk may not include base")

    def test_a_crowded_folder_fails(self):
        for number in range(41):
            self.write(f"tidemill/io/walk/a{number}.h", "#pragma once\n")
        self.fails("check_layers.py", "tidemill/io/walk: 41 files in one folder")

    def test_an_empty_tree_fails(self):
        for folder in ("tidemill", "examples", "bench"):
            shutil.rmtree(self.root / folder)
        self.fails("check_layers.py")


class NoSleep(Tree):
    def test_a_sound_tree_passes(self):
        self.passes("check_no_sleep.py")

    def test_every_way_to_sleep_fails(self):
        for call in ("std::this_thread::sleep_for(1ms)", "std::this_thread::sleep_until (t)",
                     "sleep(1)", "::usleep(10)", "nanosleep(&t, nullptr)"):
            with self.subTest(call):
                self.write(POOL_TEST, f"TEST(Pool, Works) {{\n  {call};\n}}\n")
                self.fails("check_no_sleep.py", f"{POOL_TEST}:2: ")

    def test_a_fake_that_sleeps_fails(self):
        self.write("tidemill/testing/nap.h", "inline void nap() { usleep(1); }\n")
        self.fails("check_no_sleep.py", "tidemill/testing/nap.h:1: usleep")

    def test_scripts_of_tests_may_not_sleep_either(self):
        self.write("tests/e2e/a.sh", "# sleep 1 would be wrong\ntidemill each & sleep 1\n")
        self.write("tests/e2e/b.py", "import time\ntime.sleep(1)\n")
        self.fails("check_no_sleep.py", "tests/e2e/a.sh:2: ", "tests/e2e/b.py:2: ")

    def test_product_code_may_wait_as_it_needs(self):
        self.write("tidemill/engine/pool.cc", "void f() { usleep(1); }\n")
        self.passes("check_no_sleep.py")


class Failures(Tree):
    def plant(self, line, path="tidemill/engine/pool.cc"):
        self.write(path, f"void f() {{\n  {line}\n}}\n")

    def test_a_sound_tree_passes(self):
        self.passes("check_failures.py")

    def test_every_way_to_branch_on_the_words_fails(self):
        for line in ('if (failure.step == "usage") g();', "if (failure->step != kGone) g();",
                     "if (kGone == done.error().step) g();", 'if ("x" != failure->reason) g();',
                     'if (failure.reason == "closed") g();', 'if (failure.hint != "") g();',
                     'if (done.error().reason.ends_with("is locked")) g();',
                     'g(failure.step.find("gone"));', "name = failure->reason.substr(2);",
                     'if (reason.contains("NOAUTH")) g();',
                     'if ((failure.step + failure.reason).contains("x")) g();',
                     'if (failure.reason\n      .starts_with("--")) g();'):
            with self.subTest(line):
                self.plant(line)
                self.fails("check_failures.py", "tidemill/engine/pool.cc:2: ")

    def test_headers_and_examples_count(self):
        self.plant('return failure.step == "x";', "tidemill/base/a.h")
        self.plant('return failure.step == "x";', "examples/minimal.cc")
        self.fails("check_failures.py", "tidemill/base/a.h:2: ", "examples/minimal.cc:2: ")

    def test_words_that_are_shown_and_names_that_only_look_alike_pass(self):
        for line in ('g(failure.step + ": " + failure.reason);', "if (failure.hint.empty()) g();",
                     "if (failure.kind == FailureKind::usage) g();", "if (pair.step.size == 3) g();",
                     "if (size != pair.step.size) g();", "// if (failure.step == kGone) g();",
                     'g("failure.step == 1");', "failure.step = kGone;"):
            with self.subTest(line):
                self.plant(line)
                self.passes("check_failures.py")

    def test_a_mark_with_a_reason_allows_a_line(self):
        fault = "if (failure.step == kGone) g();"
        self.plant(f"{fault}  // failure text: only shown")
        self.passes("check_failures.py")
        self.plant(f"// failure text: only shown\n  {fault}")
        self.passes("check_failures.py")
        self.plant(f"{fault}  // failure text:")
        self.fails("check_failures.py", "pool.cc:2: ")
        self.plant(f"// failure text: only shown\n  g();\n  {fault}")
        self.fails("check_failures.py", "pool.cc:4: ")

    def test_tests_may_look_at_every_word(self):
        for path in (POOL_TEST, "tidemill/engine/pool_rig.h", "tidemill/testing/a.cc"):
            self.plant('EXPECT_TRUE(failure.reason.contains("x"));', path)
        self.passes("check_failures.py")

    def test_an_empty_tree_fails(self):
        for folder in ("tidemill", "examples"):
            shutil.rmtree(self.root / folder)
        self.fails("check_failures.py")


class Contracts(Tree):
    def test_a_sound_tree_passes(self):
        self.passes("check_contracts.py")

    def test_several_tests_and_a_property_are_found(self):
        both = f"`{POOL_TEST}:Pool.Works`<br>`{POOL_TEST}:Pool.Keeps`"
        self.write("docs/contracts.md", contracts({"P1": both, "P2": both.replace("<br>", ", ")}))
        self.passes("check_contracts.py")

    def test_a_test_that_does_not_exist_fails(self):
        self.write("docs/contracts.md", contracts({"P3": f"`{POOL_TEST}:Pool.Dreams`"}))
        self.fails("check_contracts.py", "P3: ", "has no test Pool.Dreams")

    def test_a_test_in_a_comment_does_not_exist(self):
        self.write("docs/contracts.md", contracts({"P3": f"`{POOL_TEST}:Pool.OnlyInAComment`"}))
        self.fails("check_contracts.py", "has no test Pool.OnlyInAComment")

    def test_one_missing_test_of_two_fails(self):
        both = f"`{POOL_TEST}:Pool.Works`<br>`{POOL_TEST}:Pool.Dreams`"
        self.write("docs/contracts.md", contracts({"P1": both}))
        self.fails("check_contracts.py", "has no test Pool.Dreams")

    def test_a_file_that_does_not_exist_fails(self):
        self.write("docs/contracts.md", contracts({"P3": "`tidemill/engine/no_test.cc:A.B`"}))
        self.fails("check_contracts.py", "there is no file tidemill/engine/no_test.cc")

    def test_an_end_to_end_script_is_a_test_if_it_exists(self):
        self.write("docs/contracts.md", contracts({"R4": "`tests/e2e/failures.sh`"}))
        self.fails("check_contracts.py", "R4: ", "there is no file tests/e2e/failures.sh")
        self.write("tests/e2e/failures.sh", "tidemill letters last\n")
        self.passes("check_contracts.py")

    def test_a_disabled_test_shows_nothing(self):
        self.write(POOL_TEST, "TEST(Pool, DISABLED_Works) {}\n")
        self.write("docs/contracts.md", contracts({"P3": f"`{POOL_TEST}:Pool.DISABLED_Works`"}))
        self.fails("check_contracts.py", "is disabled")

    def test_a_required_promise_without_a_test_fails(self):
        for cell in ("", "later", "`docs/decisions/short.md`"):
            with self.subTest(cell):
                self.write("docs/contracts.md", contracts({"R8": cell}))
                self.fails("check_contracts.py", "R8: no test is named")

    def test_a_required_promise_without_a_row_fails(self):
        self.write("docs/contracts.md", contracts({"R9": None}))
        self.fails("check_contracts.py", "R9 has no row")

    def test_other_promises_may_wait_or_be_replaced(self):
        self.write("docs/contracts.md",
                   contracts({"W1": "later", "W2": "`later`", "W3": "`docs/decisions/short.md`"}))
        self.passes("check_contracts.py")

    def test_other_promises_may_not_be_silent(self):
        self.write("docs/contracts.md", contracts({"W1": ""}))
        self.fails("check_contracts.py", "W1: neither a test nor a decision")

    def test_a_mistyped_reference_fails(self):
        self.write("docs/contracts.md",
                   contracts({"P1": f"`{POOL_TEST}:Pool.Works` `{POOL_TEST}::Pool.Keeps`"}))
        self.fails("check_contracts.py", "is neither a test nor a decision")

    def test_a_promise_made_twice_fails(self):
        self.write("docs/contracts.md",
                   contracts(extra=f"| P1 | again | `{POOL_TEST}:Pool.Works` |"))
        self.fails("check_contracts.py", "P1: a second row")

    def test_a_missing_page_fails(self):
        (self.root / "docs/contracts.md").unlink()
        self.fails("check_contracts.py", "there is no file docs/contracts.md")

    def test_a_long_decision_fails(self):
        self.write("docs/decisions/long.md", "why\n" * 61)
        self.fails("check_contracts.py", "docs/decisions/long.md: 61 lines")


class Format(Tree):
    def test_a_formatted_tree_passes_and_a_crooked_file_fails(self):
        for path in list(SOUND):
            (self.root / path).unlink()
        self.write("tidemill/base/a.h", "#pragma once\n\nint f();\n")
        self.passes("check_format.sh")
        self.write("tests/fuzz/b.cc", "int  f( ) ;\n")
        self.fails_with_any_status("check_format.sh", "b.cc:1:")

    def fails_with_any_status(self, name, said):
        ran = self.check(name)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn(said, ran.stdout)


class Example(Tree):
    def setUp(self):
        super().setUp()
        self.write("examples/hello.cc", "// prints\n" * 80)
        self.write("examples/hello.out", "hello\n")

    def run_example(self, script):
        program = self.root / "program"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return run(TOOLS / "check_example.py", program, self.root / "examples/hello.cc")

    def test_the_same_output_passes(self):
        self.assertEqual(self.run_example("echo hello\n").returncode, 0)

    def test_other_output_fails_with_a_diff(self):
        ran = self.run_example("echo goodbye\n")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("-hello\n+goodbye", ran.stdout)

    def test_a_missing_newline_fails(self):
        self.assertEqual(self.run_example("printf hello\n").returncode, 1)

    def test_a_bad_end_fails(self):
        self.assertEqual(self.run_example("echo hello; exit 3\n").returncode, 1)

    def test_a_missing_out_file_fails(self):
        (self.root / "examples/hello.out").unlink()
        self.assertIn("is missing", self.run_example("echo hello\n").stdout)

    def test_a_long_example_fails(self):
        self.write("examples/hello.cc", "// prints\n" * 81)
        ran = self.run_example("echo hello\n")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("81 lines", ran.stdout)


class Links(Tree):
    def setUp(self):
        super().setUp()
        self.write("docs/README.md", "# Index\n[why](decisions/short.md) [what](contracts.md#the-row-x)\n")
        self.write("docs/contracts.md", "# Contracts\n## The `row`: X\n## The row X\n[up](../README.md)\n")
        self.write("README.md", "[two](docs/contracts.md#the-row-x-1) [code](tidemill/base/try.h#L1)\n"
                                "[far](https://example.com/x) `[no](link)` ![x](docs)\n"
                                "```\n[no](link)\n```\n")

    def test_a_sound_tree_passes(self):
        self.passes("check_links.py")

    def test_a_link_that_leads_nowhere_fails(self):
        links = {"gone.md": "leads to nothing", "docs/contracts.md#no": "contracts.md has no such heading",
                 "#no": "README.md has no such heading", "../x": "leads out of the repository",
                 "/docs": "is not relative", "tidemill/base/try.h#L9": "leads to no line",
                 "docs/contracts.md#the-row-x-2": "contracts.md has no such heading"}
        ways = ("[a]({})", "[`]`]({} 'title')", "![a](<{}>)", "[a]: {}")
        written = [(way, link) for way in ways for link in links]
        self.write("README.md", "\n".join(way.format(link) for way, link in written))
        self.fails("check_links.py", *(f"README.md:{number}: {link}: {links[link]}"
                                       for number, (_, link) in enumerate(written, 1)))

    def test_a_link_with_the_name_of_another_file_fails(self):
        self.write("README.md", "[try.h](tidemill/base/try.h) [base/try.h](tidemill/base/try.h) [of try](tidemill/base/try.h)\n")
        self.passes("check_links.py")
        self.write("README.md", "[old.h](tidemill/base/try.h) [`y.h`](tidemill/base/try.h)\n")
        self.fails("check_links.py", "README.md:1: old.h: leads to tidemill/base/try.h",
                   "README.md:1: y.h: leads to tidemill/base/try.h")

    def test_a_heading_in_a_code_block_is_none(self):
        self.write("docs/contracts.md", "```\n# The row X\n```\n")
        self.fails("check_links.py", "docs/README.md:2: contracts.md#the-row-x: ")

    def test_a_page_that_no_way_leads_to_fails(self):
        self.write("docs/guide/lost.md", "[found](../README.md)\n")
        self.fails("check_links.py", "docs/guide/lost.md: no way leads to it")

    def test_code_that_is_not_what_it_says_fails(self):
        page = "<!-- text of tidemill/engine/pool.h -->\n```cpp\n{}```\n"
        self.write("README.md", page.format(SOUND["tidemill/engine/pool.h"]))
        self.passes("check_links.py")
        self.write("README.md", page.format("once\n"))
        self.fails("check_links.py", "README.md:1: the block is not text of tidemill/engine/pool.h")
        self.write("README.md", page.format("once\n").replace("pool.h", "gone.h"))
        self.fails("check_links.py", "there is no file")

    def test_no_page_fails(self):
        (self.root / "README.md").unlink()
        shutil.rmtree(self.root / "docs")
        self.fails("check_links.py", "no pages")


class Voice(Tree):
    HELP = "tidemill/jobs/each/verb.cc"

    def test_a_plain_tree_passes(self):
        self.write(self.HELP, 'help = "skip hidden files";\n')
        self.passes("check_voice.py")

    def test_a_phrase_in_a_literal_fails_and_says_what_to_write(self):
        self.write(self.HELP, 'int x;\nhelp = "leave out names that begin with a dot";\n')
        self.fails("check_voice.py", f'{self.HELP}:2: "leave out": say skip, omit, exclude')

    def test_adjacent_literals_are_one_text(self):
        self.write(self.HELP, 'help = "--x and --y exclude "  // why\n       "each other";\n')
        self.fails("check_voice.py", f'{self.HELP}:1: "exclude each other"')

    def test_a_raw_literal_counts_with_its_lines(self):
        self.write(self.HELP, 'help = R"(one\ntwo\nthe command makes no\nsense)";\n')
        self.fails("check_voice.py", f'{self.HELP}:3: "makes no sense"')

    def test_comments_code_names_and_tests_are_not_checked(self):
        self.write(self.HELP, '// goes on\nint letters = mended["letters"];  // "told"\nchar c = \'"\';  // goes on\n')
        self.write("tidemill/jobs/each/verb_test.cc", 'say("it goes on");\n')
        self.write("tidemill/testing/a.h", 'say("it goes on");\n')
        self.passes("check_voice.py")

    def test_a_word_that_is_counted_is_checked(self):
        self.write(self.HELP, 'say(counted(letters.size(), "letter"));\n')
        self.fails("check_voice.py", f'{self.HELP}:1: "letter": say failures')

    def test_a_page_is_checked_without_code_spans_and_with_code_blocks(self):
        self.write("docs/guide/each.md", "# Each\nSee `letters goes on` [here](goes on.md).\n")
        self.passes("check_voice.py")
        self.write("docs/guide/each.md", "# Each\nThe run goes\non.\n```\n90.5 MB to win\n```\n")
        self.fails("check_voice.py", 'docs/guide/each.md:2: "goes on": say', 'docs/guide/each.md:5: "to win": say')

    def test_only_the_title_of_a_decision_is_checked(self):
        self.write("docs/decisions/0001-a.md", "# 0001: A pool\nIt goes on.\n")
        self.passes("check_voice.py")
        self.write("docs/decisions/0001-a.md", "# 0001: A pool of our own\n")
        self.fails("check_voice.py", 'docs/decisions/0001-a.md:1: "of our own"')

    def test_comments_of_examples_are_checked(self):
        self.write("examples/a.cc", "// The run goes\n// on.\nint told = 0;\n")
        self.fails("check_voice.py", 'examples/a.cc:1: "goes on"')

    def test_english_passes(self):
        self.write("README.md", "There is no such file. It is no longer used. It won't start. Reads as much as it can.\n"
                                "`tidemill letters last` is an alias; dead letters are kept. Gives up after 3 attempts.\n"
                                "Letters and digits only. A command that was told to stop. You cannot tell which.\n")
        self.passes("check_voice.py")

    def test_every_phrase_of_the_style_guide_is_seen(self):
        for said in ("20261116-x is no run", "makes no sense", "exclude each other", "whom the system trusts",
                     "safely be rid of them", "90.5 MB to win", "524 kB won", "try so often", "leave out smaller files",
                     "give a book up that takes longer", "or a graver one", "mend REDIS_URL", "look what keeps it busy",
                     "is there, and is something else than a queue", "no entry of the dead", "it reads otherwise",
                     "look a run over", "for what Outline tells of itself", "remember nothing", "on the shelf",
                     "1 skipped: it is in", "1 not at their end", "is told with its reasons", "keeps account of it",
                     "takes its turn", "the way out that is none", "an object a line", "ended before its time",
                     "did not end in order", "may pass by itself", "how it stands", "go on with a run", "is not there"):
            with self.subTest(said):
                self.write("README.md", said + "\n")
                self.fails("check_voice.py", "README.md:1: ")

    def test_only_what_is_asked_for_is_checked(self):
        self.write("README.md", "It goes on.\n")
        self.write("docs/guide/a.md", "It resumes.\n")
        self.assertEqual(run(TOOLS / "check_voice.py", self.root / "docs").returncode, 0)
        self.assertEqual(run(TOOLS / "check_voice.py", self.root / "docs", self.root / "README.md").returncode, 1)


class Names(Tree):
    """check_names.py"""

    POOL = "tidemill/engine/pool.h"

    def test_a_sound_tree_passes(self):
        self.write(self.POOL, "namespace tidemill::engine {\nclass Pool final : public Base {\n  enum class Kind { a };\n};\n}\n")
        self.write("tidemill/io/walk/a.h", "namespace tidemill::walk {\nstruct Walk {\n  enum class Kind { b };\n};\n"
                                           "class Pool;  // declared only\n// struct Pool {\n}\n")
        self.write("tidemill/io/walk/a.cc", "struct Pool::State {\n};\nnamespace { struct Row { int x; }; }\n")
        self.write("tidemill/io/walk/b.cc", "namespace { struct Row { int x; }; }\nvoid f() { struct Pool { }; }\n")
        self.passes("check_names.py")

    def test_two_headers_with_one_name_fail(self):
        self.write(self.POOL, "namespace tidemill::engine {\nclass Pool {\n};\n}\n")
        for kind in ("struct Pool {", "enum class Pool : char {", "class Pool final : public X {", "template <typename T>\nclass Pool {",
                     "template <typename T>\nconcept Pool = true;"):
            self.write("tidemill/io/walk/a.h", f"namespace tidemill::walk {{\n{kind}\n" + ("}\n" if kind[-1] == ";" else "};\n}\n"))
            with self.subTest(kind):
                line = 2 + kind.count("\n")
                self.fails("check_names.py", f"tidemill/io/walk/a.h:{line}: Pool is also the name of a type in {self.POOL}")

    def test_an_alias_with_the_name_of_a_type_fails(self):
        self.write(self.POOL, "namespace tidemill::engine {\nclass Pool {\n};\n}\n")
        self.write("tidemill/io/walk/a.h", "namespace tidemill::walk {\nusing Pool = int;\nusing engine::Task;\n"
                                           "struct Walk {\n  using Row = int;\n};\n}\n")
        self.fails("check_names.py", f"tidemill/io/walk/a.h:2: Pool is also the name of a type in {self.POOL}")
        self.write("tidemill/io/walk/a.h", "namespace tidemill::walk {\nusing Row = int;\n}\n")
        self.write("tidemill/io/walk/b.h", "namespace tidemill::walk {\nusing Row = long;\n}\n")
        self.fails("check_names.py", "tidemill/io/walk/b.h:2: Row is also the name of a type in tidemill/io/walk/a.h")

    def test_an_alias_in_a_header_for_tests_passes(self):
        self.write(self.POOL, "namespace tidemill::engine {\nclass Pool {\n};\n}\n")
        self.write("tidemill/io/walk/a_rig.h", "namespace tidemill::walk {\nusing Pool = int;\n}\n")
        self.passes("check_names.py")

    def test_a_private_type_with_the_name_of_a_public_one_fails(self):
        self.write(self.POOL, "namespace tidemill::engine {\nclass Pool {\n};\n}\n")
        self.write("tidemill/io/walk/a_test.cc", "namespace {\nstruct Pool {\n};\n}\n")
        self.fails("check_names.py", f"tidemill/io/walk/a_test.cc:2: Pool is also the name of a type in {self.POOL}")

    def test_a_long_glossary_and_a_word_defined_twice_fail(self):
        rows = [f"| **word{number}** | it |" for number in range(40)]
        self.write("docs/glossary.md", "\n".join(rows))
        self.passes("check_names.py")
        self.write("docs/glossary.md", "\n".join([*rows, "| **more** | it |"]))
        self.fails("check_names.py", "docs/glossary.md:41: 41 rows, at most 40")
        self.write("docs/glossary.md", "\n".join([*rows[:5], "| **more, word3** | it |"]))
        self.fails("check_names.py", "docs/glossary.md:6: word3 is also defined in line 4")


class Repeat(unittest.TestCase):
    """repeat: which tests a changed file touches."""

    def test_the_names_of_tests_begin_with_the_module_without_its_layer(self):
        loader = importlib.machinery.SourceFileLoader("repeat", str(TOOLS / "repeat"))
        repeat = importlib.util.module_from_spec(importlib.util.spec_from_loader("repeat", loader))
        loader.exec_module(repeat)
        modules = repeat.modules()
        for file, prefix in {"io/sandbox/sandbox.cc": "sandbox", "engine/pool/dispatch.h": "engine",
                             "jobs/dupes/act/pair/swap.cc": "jobs/dupes", "jobs/tasks/finder.cc": "jobs",
                             "app/runs/show.cc": "app/runs", "app/doctor/judge.cc": "app"}.items():
            self.assertEqual(repeat.prefix_of(repeat.ROOT / "tidemill" / file, modules), prefix)
        patterns = repeat.patterns_for("tidemill/io/walk/walker.h")  # those of walker_test.cc
        self.assertTrue(patterns and all(pattern.startswith("walk/(.*/)?Walker") for pattern in patterns), patterns)


class SourceText(unittest.TestCase):
    def test_code_keeps_its_place_and_the_rest_is_blank(self):
        self.assertEqual(code_of('a "b" /*c\n*/ d //e\nf'), "a        \n   d    \nf")

    def test_what_looks_like_a_literal_does_not_hide_code(self):
        self.assertIn("sleep(1)", code_of("auto n = 1'000; sleep(1); auto m = 2'000;"))
        self.assertIn("sleep(1)", code_of("char c = '\"'; sleep(1); char d = '\"';"))
        self.assertNotIn("sleep", code_of('auto s = R"x(a " sleep(1) )" )x";'))


class Groups(unittest.TestCase):
    """group_sources.py: files that may be compiled as one."""

    def groups_of(self, most, files):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            paths = [root / name for name in files if name.endswith(".cc")]
            return run(TOOLS / "group_sources.py", str(most), *paths).stdout.split()

    @staticmethod
    def own(*lines):
        return "namespace tidemill {\nnamespace {\n" + "".join(f"{x}\n" for x in lines) + "}  // namespace\n}\n"

    def test_strangers_are_one_group(self):
        files = {"a.cc": self.own("int a() { return 1; }"), "b.cc": self.own("int b() {", "  int a = 2;", "}")}
        self.assertEqual(self.groups_of(100, files), ["0", "0"])

    def test_rooms_of_a_module_are_one_namespace(self):
        same = self.own("int a() { return 1; }")
        files = {"tidemill/io/x/a.cc": same, "tidemill/io/x/room/b.cc": same, "tidemill/io/y/c.cc": same,
                 "tidemill/io/x/room/d.cc": self.own("int d() { return 1; }")}
        self.assertEqual(self.groups_of(100, files), ["0", "1", "0", "0"])

    def test_the_same_name_parts_them(self):
        for first, second in (("int a() { return 1; }", "constexpr int a = 1;"),
                              ("struct A {", "using A = int;"),
                              ("template <typename T>\nT a(T x) {", "std::string\na(int x) {"),
                              ("enum class A : char {", "class A final : public B {")):
            files = {"a.cc": self.own(first), "b.cc": self.own(second)}
            self.assertEqual(self.groups_of(100, files), ["0", "1"], (first, second))

    def test_what_may_be_said_twice_does_not(self):
        for both in ("using text::shown;", "namespace fs = std::filesystem;", "// int a()", "TEST(A, B) {",
                     'const char* kA = R"x(\nint a()\n)x";'.replace("kA", "{}")):
            files = {"a.cc": self.own(both.replace("{}", "k1")), "b.cc": self.own(both.replace("{}", "k2"))}
            self.assertEqual(self.groups_of(100, files), ["0", "0"], both)

    def test_a_name_of_a_header_parts_its_users_from_others(self):
        use = '#include "tidemill/x/h.h"\n'
        files = {"h.h": "namespace tidemill {\n[[nodiscard]] bool a();\n}\n", "a.cc": use + self.own("int b();"),
                 "b.cc": self.own("bool a() {"), "c.cc": use + self.own("int d();"), "d.cc": self.own("int e();")}
        self.assertEqual(self.groups_of(100, files), ["0", "1", "0", "0"])

    def test_a_word_taken_by_using_is_no_other_thing(self):
        files = {"a.cc": self.own("using engine::Entry;"), "b.cc": self.own("struct Entry {"),
                 "c.cc": self.own("using walk::Entry;"), "d.cc": self.own("using engine::Entry;")}
        self.assertEqual(self.groups_of(100, files), ["0", "1", "2", "0"])

    def test_a_folder_and_its_tests_are_counted_apart(self):
        own = self.own("int a();")
        files = {"x/a.cc": own, "x/a_test.cc": own, "y/a.cc": own, "y/b.cc": own}
        self.assertEqual(self.groups_of(100, files), ["0", "0", "0", "1"])

    def test_a_group_has_an_end(self):
        files = {f"{x}.cc": self.own(f"int {x}() {{", "}") for x in "abc"}
        self.assertEqual(self.groups_of(13, files), ["0", "0", "1"])

    def test_a_file_with_a_planted_fault_is_alone(self):
        use = '#include "tidemill/x/h.h"\n'
        files = {"h.h": "#ifdef TIDEMILL_PLANT\n#endif\n", "a.cc": self.own("int a();"),
                 "b.cc": self.own("#ifdef TIDEMILL_PLANT", "#endif"), "c.cc": use + self.own("int c();"),
                 "d.cc": self.own("int d();")}
        self.assertEqual(self.groups_of(100, files), ["0", "1", "2", "0"])


class Includes(Tree):
    def test_a_sound_tree_passes(self):
        self.write("tidemill/engine/a.cc", '#include "tidemill/engine/a.h"\nstd::string a; // std::map\n')
        self.write("tidemill/engine/a.h", "#include <string>\nstd::string_view b;\n")
        self.passes("check_includes.py")

    def test_a_name_without_its_header_fails(self):
        for use in ("std::vector<int> a;", "int a = std::ranges::max(1, 2);", "std::expected<int, int> a;"):
            self.write("tidemill/engine/a.cc", f"#include <string>\n\n{use}\n")
            self.fails("check_includes.py", "tidemill/engine/a.cc:3: std::")

    def test_an_empty_tree_fails(self):
        shutil.rmtree(self.root / "tidemill")
        self.fails("check_includes.py", "no files")


class CountTests(unittest.TestCase):
    """count_tests.py: how many tests ran, also those in shards."""
    REPORT = ('<testsuites><testsuite name="Pool"><testcase name="A" status="run" result="completed" time="0.5"/>'
              '<testcase name="B" status="run" result="skipped" time="0"><skipped/></testcase>'
              '<testcase name="C" status="{run}" result="{result}" time="3">{more}</testcase></testsuite></testsuites>')
    GREEN = REPORT.format(run="run", result="completed", more="")
    RED = REPORT.format(run="run", result="completed", more="<failure/>")

    def counted(self, shard_status, report):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            (root / "junit.xml").write_text(
                '<testsuite><testcase name="e2e/a" time="2" status="run"/><testcase name="e2e/b" time="1" status="fail"/>'
                '<testcase name="e2e/c" time="0" status="notrun"/>'
                f'<testcase name="jobs/each/shard_2" time="4" status="{shard_status}"/></testsuite>')
            if report:
                (root / "gtest").mkdir()
                (root / "gtest/jobs_each_test_2.xml").write_text(report)
            lines = run(TOOLS / "count_tests.py", root, "2").stdout.split("\n")
            return lines[0], [line.split()[-1] for line in lines[1:] if line]

    def test_a_shard_counts_as_the_tests_in_it(self):
        self.assertEqual(self.counted("run", self.GREEN), ("6 1 2", ["jobs/each/Pool.C", "e2e/a"]))

    def test_a_test_that_failed_in_a_shard_counts_once(self):
        self.assertEqual(self.counted("fail", self.RED)[0], "6 2 2")

    def test_a_shard_that_crashed_counts_as_one_failure(self):
        self.assertEqual(self.counted("fail", None)[0], "4 2 1")
        self.assertEqual(self.counted("fail", self.GREEN)[0], "7 2 2")

    def test_a_shard_without_a_report_is_a_failure(self):
        self.assertEqual(self.counted("run", None)[0], "4 2 1")


class CachedCompiler(unittest.TestCase):
    """A header precompiled by clang, and a file that uses it, in two clones of which the first is gone."""

    def setUp(self):
        for program in ("ccache", "clang++-19"):
            if not shutil.which(program):
                self.skipTest(f"there is no {program} here")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def clone(self, name, header="#include <cstddef>\n"):
        build = self.scratch / name / "build"
        build.mkdir(parents=True)
        (build / "all.h").write_text(header)
        (build / "all.h.cxx").write_text("")
        (build / "use.cc").write_text("std::size_t use() { return 1; }\n")
        return build

    def compile(self, build, *words):
        script = [TOOLS.parent / "cmake/cached_compiler.sh", build.parent, build, "ccache", "clang++-19"]
        options = ["-I", build.parent, "-Xclang", "-fno-pch-timestamp"]
        subprocess.run([*script, *options, *words], cwd=build, check=True, capture_output=True, text=True,
                       env=dict(os.environ, CCACHE_DIR=str(self.scratch / "cache"),
                                CCACHE_STATSLOG=str(self.scratch / "stats")))

    def build(self, build):
        """Whether ccache knew the file."""
        (self.scratch / "stats").write_text("")
        header = ["-Xclang", "-include", "-Xclang", build / "all.h"]
        self.compile(build, "-Xclang", "-emit-pch", *header, "-x", "c++-header", "-MD", "-MT", "all.h.pch",
                     "-MF", "all.h.pch.d", "-o", build / "all.h.pch", "-c", build / "all.h.cxx")
        self.compile(build, "-Xclang", "-include-pch", "-Xclang", build / "all.h.pch", *header, "-MD", "-MT",
                     "use.o", "-MF", "use.o.d", "-o", "use.o", "-c", build / "use.cc")
        return "direct_cache_hit" in (self.scratch / "stats").read_text()

    def test_another_clone_has_hits_when_the_first_is_gone(self):
        first = self.clone("one")
        self.assertFalse(self.build(first))
        shutil.rmtree(first.parent)
        self.assertTrue(self.build(self.clone("another")))

    def test_another_header_is_no_hit(self):
        self.build(self.clone("one"))
        self.assertFalse(self.build(self.clone("another", "#include <cstddef>\n#define ANOTHER\n")))


class TidySeen(unittest.TestCase):
    """tidy_seen.py: a file is looked at again when it, a header of it or the rules have changed."""

    def test_what_was_clean_is_not_looked_at_again(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for name, text in {"tidemill/a.cc": '#include "tidemill/a.h"\n', "tidemill/a.h": "1\n",
                               "tidemill/b.cc": "2\n", ".clang-tidy": "Checks\n"}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            shutil.copytree(TOOLS, root / "tools")
            both = ["tidemill/a.cc", "tidemill/b.cc"]

            def unseen():
                return seen("unseen", *both).stdout.split()

            def seen(*arguments):
                return run(root / "tools/tidy_seen.py", *arguments, env={**os.environ, "XDG_CACHE_HOME": scratch})

            self.assertEqual(sorted(unseen()), both)
            seen("add", *both)
            self.assertEqual(unseen(), [])
            (root / "tidemill/a.h").write_text("3\n")
            self.assertEqual(unseen(), ["tidemill/a.cc"])
            (root / ".clang-tidy").write_text("Others\n")
            self.assertEqual(sorted(unseen()), both)


class Slowness(unittest.TestCase):
    """What tests that measure times may subtract. An errand: when it began, when it ended, what a core has lost."""
    USUAL = (0.0, 0.04, 0.0)

    def test_usual_errands_lose_nothing(self):
        self.assertEqual(lost_in([self.USUAL, (0.04, 0.08, 0.0)], 0.0, 0.08), 0)

    def test_an_errand_loses_what_is_beyond_the_shortest(self):
        self.assertAlmostEqual(lost_in([self.USUAL, (0.04, 0.58, 0.0)], 0.0, 0.58), 0.5)

    def test_a_core_that_the_host_takes_is_lost_although_errands_run_on_another(self):
        self.assertAlmostEqual(lost_in([self.USUAL, (0.04, 0.09, 0.03)], 0.0, 0.09), 0.03)

    def test_nothing_is_lost_twice_or_before(self):
        self.assertAlmostEqual(lost_in([self.USUAL, (0.04, 0.58, 0.5)], 0.0, 0.58), 0.5)
        self.assertAlmostEqual(lost_in([self.USUAL, (0.04, 0.58, 0.5)], 0.48, 0.58), 0.1)

    def test_the_errand_under_way_counts(self):
        self.assertAlmostEqual(lost_in([self.USUAL], 0.0, 0.34), 0.26)

    def test_stolen_time_is_read_for_each_core(self):
        self.assertEqual(stolen_from("cpu  1 2 3 4 5 6 7 30 0 0\ncpu0 1 2 3 4 5 6 7 10 0 0\n"
                                     "cpu1 1 2 3 4 5 6 7 20 0 0\nctxt 5\n"), [0.1, 0.2])


class Planted(unittest.TestCase):
    """planted --check: every fault of the list can still be planted, and every test of the fleet has one."""
    SOURCE = "tidemill/engine/pool.cc"
    LISTED = {"file": SOURCE, "old": "return 1;", "new": "return 2;", "tests": ["fleet/flushall"]}

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.write("tests/fleet/CMakeLists.txt", "function(fleet_tests script)\nendfunction()\n"
                                                 "fleet_tests(servers flushall\n            failover)\n")
        self.write(self.SOURCE, "int one() { return 1; }\n")
        (self.root / "tools").mkdir()
        shutil.copy(TOOLS / "planted", self.root / "tools")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self, **changes):
        """With two faults, of which the second is changed."""
        faults = {"first": self.LISTED | {"tests": ["fleet/failover"]}, "second": self.LISTED | changes}
        # A string of JSON is one of TOML, too.
        self.write("tests/fleet/planted.toml", "".join(
            f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in fault.items())
            for name, fault in faults.items()))
        return run(self.root / "tools/planted", "--check")

    def fails(self, said, **changes):
        ran = self.check(**changes)
        self.assertEqual(ran.returncode, 1, ran.stdout)
        self.assertIn(said, ran.stdout)

    def test_a_list_that_fits_passes(self):
        ran = self.check()
        self.assertEqual((ran.returncode, ran.stdout), (0, "2 faults for 2 tests\n"))

    def test_an_entry_that_is_out_of_date_fails(self):
        self.fails(f"second: out of date: its old text occurs 0 times in {self.SOURCE}, not once", old="return 3;")
        self.fails("second: out of date: there is no gone.cc", file="gone.cc")
        self.write(self.SOURCE, "return 1; return 1;")
        self.fails(f"second: out of date: its old text occurs 2 times in {self.SOURCE}, not once")

    def test_an_entry_that_plants_nothing_fails(self):
        self.fails("second: its new text is the old one", new="return 1;")
        self.fails("second: it has no tests", tests=[])
        self.fails("second: there is no test fleet/gone in", tests=["fleet/flushall", "fleet/gone"])
        self.fails("second: not a fault: ", trys=3)

    def test_a_test_without_a_fault_fails(self):
        self.fails("fleet/flushall: no fault of the list names it", tests=["fleet/failover"])

    def test_only_a_fault_of_the_list_can_be_planted(self):
        self.check()
        ran = run(self.root / "tools/planted", "third")
        self.assertEqual((ran.returncode, ran.stdout), (1, "third: no such fault\n"))


if __name__ == "__main__":
    unittest.main()
