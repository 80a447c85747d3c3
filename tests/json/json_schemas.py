#!/usr/bin/env python3
"""Validates the JSON that the program prints against the schemas and the table of fields in docs/formats.

  json_schemas.py --program build/release/tidemill [--stub build/release/docs_stub] [SCENE...]

Runs every verb that has --json or --jsonl on small real inputs (scenes.py) and validates each object against the schema
of the verb, docs/formats/VERB.schema.json. Fails, and names verb, object and field, if

- an object has a field that is not in the schema, lacks a required one, or a field has the wrong type;
- a field of a schema is in no object, and RARE and MACHINE below do not list it;
- a field is not camelCase;
- the table in docs/formats/output.md lacks a field of a schema, has one that no schema has, or names the wrong verbs or
  type; or an example there is invalid.

At the end it removes a field from each schema and a row from the table, and fails if that goes unnoticed.

Exit status 1: a check failed; 77: something is missing on this machine, and everything else passed.
"""
import argparse
import copy
import os
import pathlib
import re
import subprocess
import sys

try:
    import schemas
except ModuleNotFoundError as missing:
    if missing.name != "jsonschema":
        raise
    if sys.executable != "/usr/bin/python3" and os.access("/usr/bin/python3", os.X_OK):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # Debian's package is for Debian's Python
    print("NOT TESTED: python3-jsonschema is not installed")
    sys.exit(77)
import scenes

FORMATS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "formats"

# Fields that no scene produces, as "verb object field" with * for any text, and why. A stale entry fails the test.
WORDS = "words of the program or of the system: UTF-8, unless a job of your own has others"
RARE = {
    "*.stepBase64": WORDS, "* stepBase64": WORDS, "*.lastStepBase64": WORDS, "*typeBase64": WORDS, "*jobBase64": WORDS,
    "*versionBase64": WORDS, "*hintBase64": WORDS, "*reasonBase64": WORDS, "*endingBase64": WORDS, "*modeBase64": WORDS,
    "*problemBase64": WORDS, "catalogue file errorBase64": WORDS, "log line textBase64": WORDS,
    "books-repair * *whatBase64": WORDS,
    "* retry hint": "what may pass by itself rarely has a hint: no more processes or open files",
    "docs-run task hint": "as of retry",
    "batch summary causeBase64": "names the producer that holds the lease",
    "batch summary tookOverBase64": "the id of a run",
    "batch summary completedByBase64": "the id of a run",
    "books-check * *entryBase64": "entries of an archive are printed as they are escaped in its package file",
    "books-repair * *entryBase64": "entries of an archive are printed as they are escaped in its package file",
    "books-check * *titleBase64": "the XML parser and the PDF reader give UTF-8",
    "books-repair * *diffBase64": "lines of XML, which is read as UTF-8",
    "catalogue list hostBase64": "the name of a host", "catalogue list machineIdBase64": "hexadecimal digits",
    "dupes * *hostBase64": "the name of a host",
    "docs-run * causeBase64": "Outline's texts are JSON", "docs-run * *exampleBase64": "Outline's texts are JSON",
    "docs-run start urlBase64": "a URL is ASCII", "docs-run task *Base64": "Outline's texts are JSON",
    "doctor doctor *serverBase64": "a URL is ASCII",
    "doctor doctor *userBase64": "the scene connects through a socket, as the default user",
    "* *checkpoint.dataBase64": "the one job with such checkpoints, docs, writes JSON into them",
    "import summary *.keyBase64": "a name in JSON", "import summary *.columnBase64": "a name in JSON",
    "import summary tables[].nameBase64": "made from the name of the file, printable",
    "import * *.tableBase64": "made from the name of the file, printable",
    "books-check * *epubcheck*": "EPUBCheck is not on every machine; books/judge fetches it and compares its findings",
    "queue dead entryBase64": "Redis makes the ids of entries: digits",
}
# Fields that only some machines produce.
MACHINE = {
    "doctor doctor *facts.jar*": "EPUBCheck",
    "doctor doctor *facts.group*": "a limit of a control group",
    "doctor doctor *facts.freeFiles": "a file system that has a fixed number of inodes",
    "doctor doctor *facts.userLimit": "a limit that does not hold for root",
    "catalogue list machineId": "/etc/machine-id",
}


def check_outputs(known, chosen, options):
    """Runs the scenes. Returns the faults, and what is missing on this machine."""
    broken, absent = {}, set()  # broken: a fault, and the first command that showed it

    def take(schema, value, words):
        said = words if isinstance(words, str) else " ".join(os.fsdecode(word) for word in words)
        for fault in known[schema].faults(value):
            broken.setdefault(re.sub(r"\[\d+\]", "[]", fault), ascii(said[:120]))
    for scene in chosen:
        place = scenes.Place(os.path.abspath(options.program), options.stub and os.path.abspath(options.stub), take)
        try:
            scene(place)
        except scenes.Absent as what:
            absent.add(str(what))
        except (scenes.Broken, ValueError, OSError, subprocess.SubprocessError) as why:
            broken[f"scene {scene.__name__}: {why}"] = "the rest of the scene was not run"
        finally:
            place.close()
    return [f"{fault} ({command})" for fault, command in broken.items()], absent


def blind_spots(known, page):
    """Removes a field from each schema, a value from an object and a row from the table. Yields what goes unnoticed."""
    for name, schema in known.items():
        for value in schema.samples:
            field = max(value, key=len)
            less = copy.deepcopy(schema.schema)
            forget(less, field)
            if not any(f"field {field} " in fault for fault in schemas.Schema(name, less).faults(value, is_real=False)):
                yield f"{name}: field {field} is not in the schema, and the test does not notice"
            if not schema.faults({**value, field: None}, is_real=False):
                yield f"{name}: field {field} is null, and the test does not notice"
        row = re.search(r"^\| `\w+` \|[^|]*\| " + name + r" \|.*\n", page, re.M)
        if row and not list(schemas.table_faults(page.replace(row[0], ""), known)):
            yield f"output.md: the row {row[0].strip()} is missing, and the test does not notice"


def forget(schema, field):
    """Removes the field from every object of the schema."""
    for value in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        forget(value, field)
    if isinstance(schema, dict):
        schema.get("properties", {}).pop(field, None)
        if field in schema.get("required", ()):
            schema["required"].remove(field)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--stub", default="")
    parser.add_argument("scenes", nargs="*", help="run only these; unseen fields are not reported then")
    options = parser.parse_args()
    known = schemas.load(FORMATS)
    chosen = [scene for scene in scenes.SCENES if not options.scenes or scene.__name__ in options.scenes]
    broken, absent = check_outputs(known, chosen, options)
    broken += schemas.names_that_are_not_camel_case(known)
    page = (FORMATS / "output.md").read_text()
    broken += schemas.table_faults(page, known)
    broken += schemas.example_faults(page, known)
    broken += blind_spots(known, page)
    if not options.scenes and not absent:
        broken += schemas.unseen(known, RARE | MACHINE)
        broken += schemas.needless(known, RARE)
    for line in broken:
        print("WRONG:", line)
    if absent:
        print(f"NOT TESTED, missing on this machine: {', '.join(sorted(absent))}")
    count = sum(len(schema.objects) for schema in known.values())
    print(f"{len(known)} schemas, {count} kinds of objects, {len(broken)} faults")
    sys.exit(1 if broken else 77 if absent else 0)


if __name__ == "__main__":
    main()
