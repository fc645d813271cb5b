#!/usr/bin/env python3
"""Holds scenes against the JSON Schema of `filum schema`: a small checker of the keywords that it uses.

    check_schema.py SCHEMA accept SCENE...     all must be accepted
    check_schema.py SCHEMA refuse MALFORMED    of test/scene/malformed.txt: those marked `-` must be refused
"""
import json
import re
import sys

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and v == int(v),
}
KNOWN = {"$schema", "title", "description", "default", "type", "enum", "const", "anyOf", "properties", "required",
         "additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "minLength",
         "pattern"}


def check_object(schema, value, path):
    properties = schema.get("properties", {})
    for key in schema.get("required", []):
        if key not in value:
            yield f"{path}: {key} is missing"
    for key, inner in value.items():
        if key in properties:
            yield from check(properties[key], inner, f"{path}.{key}")
        elif schema.get("additionalProperties") is False:
            yield f"{path}: unknown key {key}"
        elif isinstance(schema.get("additionalProperties"), dict):
            yield from check(schema["additionalProperties"], inner, f"{path}.{key}")


def check_list(schema, value, path):
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{path}: {len(value)} items"
    for index, inner in enumerate(value):
        yield from check(schema.get("items", {}), inner, f"{path}[{index}]")


def check(schema, value, path):
    """Every complaint about the value."""
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError(f"the checker does not know {unknown}")
    if "type" in schema and not TYPES[schema["type"]](value):
        yield f"{path}: is no {schema['type']}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{path}: is not {schema['const']}"
    if "anyOf" in schema:
        found = [list(check(inner, value, path)) for inner in schema["anyOf"]]
        if all(found):
            yield f"{path}: fits nothing: {found[0][0]}"
    if TYPES["number"](value) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{path}: {value} is out of range"
    if TYPES["number"](value) and "exclusiveMinimum" in schema and not value > schema["exclusiveMinimum"]:
        yield f"{path}: {value} is not above {schema['exclusiveMinimum']}"
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0) or not re.search(schema.get("pattern", ""), value):
            yield f"{path}: is not such a text"
    if isinstance(value, dict):
        yield from check_object(schema, value, path)
    if isinstance(value, list):
        yield from check_list(schema, value, path)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    bad = 0
    if sys.argv[2] == "accept":
        for name in sys.argv[3:]:
            with open(name, encoding="utf-8") as file:
                for complaint in check(schema, json.load(file), name):
                    print(complaint)
                    bad += 1
        return bad
    with open(sys.argv[3], encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    for scene, sentence in zip(lines[::2], lines[1::2]):
        accepted = sentence[2:].startswith("line ") or not list(check(schema, json.loads(scene), ""))
        if accepted != sentence.startswith("+ "):
            print(f"{'accepts' if accepted else 'refuses'} {scene}")
            bad += 1
    return bad


if __name__ == "__main__":
    sys.exit(main() != 0)
