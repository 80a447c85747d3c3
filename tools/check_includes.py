#!/usr/bin/env python3
"""Fails when a file uses something of the precompiled standard headers that it does not include.

All builds have the standard headers precompiled (cmake/tidemill_module.cmake), so the compiler would not notice.
A name counts as included if the file, or one of our headers that it includes, names a header that has it. Looks at
the names below: those of precompiled headers that this project uses. .ci/soak builds without precompiled headers,
which sees everything, and takes longer.

usage: check_includes.py [ROOT]
"""
import pathlib
import re
import sys

from source_text import code_of

# Header: the names in std that it has. A name may stand in several headers.
NAMES = {
    "algorithm": "sort stable_sort partial_sort nth_element find find_if find_if_not any_of all_of none_of count"
                 " count_if copy copy_n copy_if copy_backward transform min max minmax clamp min_element max_element"
                 " lower_bound upper_bound equal_range binary_search unique remove_if remove reverse rotate fill_n"
                 " equal mismatch lexicographical_compare is_sorted search set_difference set_intersection set_union"
                 " set_symmetric_difference includes merge partition stable_partition partition_point push_heap"
                 " pop_heap make_heap generate replace for_each shuffle adjacent_find starts_with ends_with contains",
    "array": "array to_array",
    "atomic": "atomic atomic_flag atomic_ref memory_order_relaxed memory_order_acquire memory_order_release"
              " memory_order_seq_cst memory_order_acq_rel atomic_thread_fence",
    "charconv": "from_chars to_chars chars_format",
    "chrono": "chrono chrono_literals",
    "condition_variable": "condition_variable condition_variable_any cv_status",
    "deque": "deque",
    "expected": "expected unexpected",
    "functional": "function move_only_function invoke hash less greater plus identity ref cref reference_wrapper",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared enable_shared_from_this construct_at addressof"
              " destroy_at allocator",
    "mutex": "mutex recursive_mutex lock_guard scoped_lock unique_lock once_flag call_once timed_mutex",
    "optional": "optional nullopt make_optional",
    "ranges": "views",
    "set": "set multiset",
    "span": "span as_bytes as_writable_bytes dynamic_extent",
    "stop_token": "stop_token stop_source stop_callback nostopstate",
    "string": "string to_string stoi stoul stoull getline basic_string",
    "string_view": "string_view basic_string_view string_view_literals",
    "system_error": "error_code errc system_error generic_category system_category make_error_code",
    "thread": "thread jthread this_thread",
    "tuple": "tuple tie make_tuple forward_as_tuple apply ignore",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set unordered_multiset",
    "variant": "variant monostate visit holds_alternative get_if",
    "vector": "vector",
    "cstring": "memcpy memcmp memset memmove memchr strlen strcmp strncmp strerror strchr",
}
# Names that other headers have too, as the standard says or as every library does.
ALSO = {
    "string": {"hash", "getline", "string_view", "equal", "less"}, "string_view": {"hash", "less"},
    "memory": {"hash"}, "optional": {"hash"}, "system_error": {"hash"}, "thread": {"stop_token", "stop_source", "hash"},
    "variant": {"hash", "monostate"}, "map": {"less"}, "set": {"less"}, "functional": {"identity"},
    "iterator": {"dynamic_extent"}, "ranges": {"span", "identity"}, "charconv": {"errc"}, "fstream": {"getline"},
    "iostream": {"getline", "string"}, "sstream": {"getline", "string"}, "istream": {"getline"},
    "filesystem": {"error_code", "errc", "string", "string_view"}, "unordered_map": {"hash", "allocator"},
    "unordered_set": {"hash"}, "cstdio": {"remove"}, "condition_variable": {"mutex", "unique_lock", "cv_status"},
    "mutex": {"adopt_lock"}, "shared_mutex": {"mutex", "unique_lock"}, "utility": {"tuple"}, "vector": {"allocator"},
}
USED = re.compile(r"\bstd::(?:ranges::)?(\w+)")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)


def headers_by_name():
    found = {}
    for header, names in NAMES.items():
        for name in names.split():
            found.setdefault(name, {header}).add(header)
    for header, names in ALSO.items():
        for name in names & found.keys():
            found[name].add(header)
    return found


class Tree:
    def __init__(self, root):
        self.root = root
        self.included = {}

    def standard_headers(self, path):
        """Those that the file names, and those that our headers in it name."""
        if path not in self.included:
            self.included[path] = found = set()
            for bracket, name in INCLUDE.findall(path.read_text(errors="replace")):
                ours = self.root / name
                if bracket == "<" and not ours.is_file():
                    found.add(name)
                elif ours.is_file():
                    found |= self.standard_headers(ours)
        return self.included[path]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    tree, by_name, wrong, files = Tree(root), headers_by_name(), 0, 0
    for path in sorted([*root.glob("tidemill/**/*.cc"), *root.glob("tidemill/**/*.h")]):
        files += 1
        missing = {}
        for number, line in enumerate(code_of(path.read_text()).split("\n"), 1):
            for name in USED.findall(line):
                if name in by_name and not by_name[name] & tree.standard_headers(path):
                    missing.setdefault(name, number)
        for name, number in missing.items():
            wrong += 1
            print(f"{path.relative_to(root)}:{number}: std::{name} without #include <{sorted(by_name[name])[0]}>")
    if not files:
        print("check_includes: no files below tidemill/")
    sys.exit(1 if wrong or not files else 0)


main()
