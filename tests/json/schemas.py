"""The JSON Schemas in docs/formats: loads them, validates objects against them, and compares them with the table of
fields in output.md.

`oneOf` at the top of a schema lists the objects that a verb prints. An object is validated against the one whose
constants (`event`, `kind`) match, so that a message names one object and one field. A field is named by its path:
`copies[].names[].path`, or `rules.*.books` where the keys of an object are data.
"""
import json
import pathlib
import re

import jsonschema

CAMEL_CASE = re.compile(r"[a-z][a-zA-Z0-9]*")


class Node:
    """One schema with its $ref and allOf resolved: the fields of an object, its items, or the values of a map."""

    def __init__(self, schema, root):
        self.fields, self.items, self.values, self.constant = {}, None, None, None
        self._add(schema, root)

    def _add(self, schema, root):
        if "$ref" in schema:
            self._add(resolved(schema["$ref"], root), root)
        for part in schema.get("allOf", ()):
            self._add(part, root)
        self.fields |= schema.get("properties", {})
        self.items = schema.get("items", self.items)
        self.constant = schema.get("const", self.constant)
        if isinstance(schema.get("additionalProperties"), dict):
            self.values = schema["additionalProperties"]


def resolved(reference, root):
    node = root
    for step in reference.removeprefix("#/").split("/"):
        node = node[step]
    return node


def bundled(schema, common):
    """The schema with the shared definitions inside, so that the validator needs no other file."""
    def moved(node, where):
        if isinstance(node, list):
            return [moved(item, where) for item in node]
        if not isinstance(node, dict):
            return node
        return {key: value.replace(where, "#/$defs/common/") if key == "$ref" else moved(value, where)
                for key, value in node.items()}
    whole = moved(schema, "common.schema.json#/")
    whole["$defs"]["common"] = {"$defs": moved(common["$defs"], "#/")}
    return whole


class Schema:
    """The objects of one verb."""

    def __init__(self, name, schema):
        self.name, self.schema = name, schema
        jsonschema.Draft202012Validator.check_schema(schema)
        listed = schema["oneOf"] if "oneOf" in schema else [{"$ref": schema["$ref"]}]
        self.objects = {one["$ref"].removeprefix("#/$defs/"): one for one in listed}
        self.seen = {name: set() for name in self.objects}
        self.samples = []  # the first real object of each kind

    def node(self, schema):
        return Node(schema, self.schema)

    def paths(self, name):
        """All fields of an object, also those of the objects in it."""
        return set(self._paths(self.objects[name], ""))

    def _paths(self, schema, before):
        node = self.node(schema)
        for field, inner in node.fields.items():
            path = f"{before}.{field}" if before else field
            yield path
            yield from self._paths(inner, path)
        if node.items:
            yield from self._paths(node.items, f"{before}[]")
        if node.values:
            yield from self._paths(node.values, f"{before}.*")

    def kinds(self, schema):
        """(field, type) of an object and of all objects in it."""
        node = self.node(schema)
        for field, inner in node.fields.items():
            if not (field.endswith("Base64") and field.removesuffix("Base64") in node.fields):
                yield field, kind_of(self.followed(inner), field, node.fields)
            yield from self.kinds(inner)
        for inner in (node.items, node.values):
            if inner:
                yield from self.kinds(inner)

    def followed(self, schema):
        while "$ref" in schema:
            schema = resolved(schema["$ref"], self.schema)
        return schema

    def name_of(self, value):
        """The name of the object in the schema: its constants match, and it has the fewest faults. None: no match."""
        def agrees(name):
            fields = self.node(self.objects[name]).fields
            constants = {field: self.node(inner).constant for field, inner in fields.items()}
            return all(value.get(field) == constant for field, constant in constants.items() if constant is not None
                       and (field in value or field in ("event", "kind", "type")))
        names = [name for name in self.objects if agrees(name)]
        return min(names, key=lambda name: len(self._faults(name, value)), default=None)

    def faults(self, value, is_real=True):
        """What is wrong, a sentence each. Remembers the fields of a real object as seen."""
        name = self.name_of(value)
        if name is None:
            return [f"{self.name}: no object of the schema matches {json.dumps(value)[:200]}"]
        if is_real:
            if not self.seen[name]:
                self.samples.append(value)
            self._mark(self.objects[name], value, "", self.seen[name])
        return [f"{self.name}: object {name}: {fault}" for fault in self._faults(name, value)]

    def _faults(self, name, value):
        found = [f"field {path} is not in the schema" for path in self._unknown(self.objects[name], value, "")]
        validator = jsonschema.Draft202012Validator({**self.objects[name], "$defs": self.schema["$defs"]})
        errors = list(validator.iter_errors(value))
        found += [sentence_of(error) for error in errors if error.validator not in CLOSED]
        return found or [sentence_of(error) for error in errors]  # an invalid field counts as unevaluated, too

    def _unknown(self, schema, value, before):
        node = self.node(schema)
        if isinstance(value, list) and node.items:
            for item in value:
                yield from self._unknown(node.items, item, f"{before}[]")
        if not isinstance(value, dict):
            return
        for field, inner in value.items():
            path = f"{before}.{field}" if before else field
            if field in node.fields:
                yield from self._unknown(node.fields[field], inner, path)
            elif node.values:
                yield from self._unknown(node.values, inner, f"{before}.*")
            else:
                yield path

    def _mark(self, schema, value, before, seen):
        node = self.node(schema)
        for item in value if isinstance(value, list) and node.items else ():
            self._mark(node.items, item, f"{before}[]", seen)
        for field, inner in value.items() if isinstance(value, dict) else ():
            if field in node.fields:
                path = f"{before}.{field}" if before else field
                seen.add(path)
                self._mark(node.fields[field], inner, path, seen)
            elif node.values:
                self._mark(node.values, inner, f"{before}.*", seen)


CLOSED = ("unevaluatedProperties", "additionalProperties")


def sentence_of(error):
    if error.validator in ("oneOf", "not"):  # only of a field that is its bytes or their base64
        parts = error.validator_value if error.validator == "oneOf" else [error.validator_value]
        names = [name for part in parts for name in part["required"]]
        return f"field {names[0]}: it or {names[1]} must be there, and not both"
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    return f"field {where.lstrip('.') or '(the whole)'}: {error.message[:300]}"


def load(folder):
    """{verb: Schema}"""
    texts = {path.name.removesuffix(".schema.json"): json.loads(path.read_text())
             for path in sorted(pathlib.Path(folder).glob("*.schema.json"))}
    common = texts.pop("common")
    return {name: Schema(name, bundled(schema, common)) for name, schema in texts.items()}


def last_part(path):
    return path.rpartition(".")[2].removesuffix("[]")


def fields_of(schema):
    """The names of all fields of a verb, with those that hold base64."""
    return {last_part(path) for name in schema.objects for path in schema.paths(name)}


def names_that_are_not_camel_case(schemas):
    for schema in schemas.values():
        for field in sorted(fields_of(schema)):
            if not CAMEL_CASE.fullmatch(field):
                yield f"{schema.name}: field {field} is not camelCase"


def unseen(schemas, rare):
    """Fields that no real output had and that no pattern of `rare` matches: "verb object path", * for any text."""
    for schema in schemas.values():
        for name in schema.objects:
            for path in sorted(schema.paths(name) - schema.seen[name]):
                label = f"{schema.name} {name} {path}"
                if not any(matches(pattern, label) for pattern in rare):
                    yield f"{schema.name}: object {name}: field {path} is in no real output: remove it or add a scene"


def matches(pattern, label):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), label) is not None


def needless(schemas, rare):
    """Stale entries of the table of rare fields: they match nothing, or only fields that were seen."""
    for pattern in rare:
        labels = [(schema, name, path) for schema in schemas.values() for name in schema.objects
                  for path in schema.paths(name) if matches(pattern, f"{schema.name} {name} {path}")]
        if all(path in schema.seen[name] for schema, name, path in labels):
            yield f"rare field {pattern}: " + ("it was seen" if labels else "no such field")


def kind_of(schema, field, siblings):
    """The type of a field, in the words of the table."""
    if field + "Base64" in siblings:
        return "bytes"
    if "enum" in schema:
        return "string"
    if "const" in schema:
        return {bool: "boolean", int: "count", str: "string"}[type(schema["const"])]
    kind = schema["type"]
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "string" and "T[0-9]" in schema.get("pattern", ""):
        return "time"
    return "count" if kind == "integer" and "minimum" in schema else kind


def pairs_of(schemas):
    """{field: {(verb, type)}}, without the base64 forms."""
    pairs = {}
    for schema in schemas.values():
        for one in schema.objects.values():
            for field, kind in schema.kinds(one):
                pairs.setdefault(field, set()).add((schema.name, kind))
    return pairs


def table_faults(text, schemas):
    """output.md has a table `field | type | in | meaning`: a row for each field and meaning, with the verbs that have
    it. The base64 forms are not in it."""
    told = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            verbs = re.findall(r"[a-z][a-z-]*", cells[2])
            told.setdefault(cells[0].strip("`"), set()).update((verb, cells[1]) for verb in verbs)
    in_schemas = pairs_of(schemas)
    for field in sorted(told.keys() | in_schemas.keys()):
        if field not in in_schemas:
            yield f"output.md: field {field} is in no schema"
            continue
        for verb, kind in sorted(in_schemas[field] - told.get(field, set())):
            yield f"output.md: the table does not have field {field} of {verb} as {kind}"
        for verb, kind in sorted(told.get(field, set()) - in_schemas[field]):
            yield f"output.md: the table has field {field} of {verb} as {kind}, the schema does not"


def example_faults(text, schemas):
    """Under a heading that is the name of a schema, each line of JSON is an object of it."""
    for name, section in re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        for block in re.findall(r"^```json\n(.*?)^```", section, re.M | re.S):
            for line in block.splitlines():
                found = schemas[name].faults(json.loads(line), is_real=False) if name in schemas else ["no such schema"]
                yield from (f"output.md: example of {name}: {fault}" for fault in found)
    for name in schemas:
        if f"\n## {name}\n" not in text:
            yield f"output.md: no section {name}"
