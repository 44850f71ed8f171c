#!/usr/bin/env python3
"""coverage.py EXPORT MINIMUM FILE...: prints the line coverage of each FILE from what `llvm-cov export
-summary-only` wrote, and exits 1 when one is under MINIMUM per cent or missing."""

import json
import sys


def main():
    export, minimum, wanted = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    with open(export, encoding="utf-8") as file:
        found = json.load(file)["data"][0]["files"]
    bad = 0
    for name in wanted:
        # Paths are relative to the source: the build maps them so.
        lines = next((f["summary"]["lines"] for f in found if f["filename"].endswith(name)), None)
        percent = lines["percent"] if lines else 0.0
        low = percent < minimum
        bad += low
        count = f"{lines['covered']}/{lines['count']}" if lines else "not in the report"
        print(f"{percent:6.1f} %  {count:>9}  {name}{'   UNDER ' + format(minimum, '.0f') + ' %' if low else ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
