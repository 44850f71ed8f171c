"""Prints the field names and enum words of a StressTest's spec as lines of a libFuzzer dictionary.

usage: crd_words.py CRD
"""
import json
import sys

import yaml


def words(schema):
    for name, inner in schema.get("properties", {}).items():
        yield name + ": "
        yield from words(inner)
    yield from schema.get("enum", [])
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from words(schema[key])


with open(sys.argv[1], encoding="utf-8") as file:
    version = yaml.safe_load(file)["spec"]["versions"][0]
for word in sorted(set(words(version["schema"]["openAPIV3Schema"]["properties"]["spec"]))):
    if word:  # libFuzzer takes no empty ones
        print(json.dumps(word))
