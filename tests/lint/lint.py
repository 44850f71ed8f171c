#!/usr/bin/env python3
"""Rules of this tree that no compiler checks. `lint.py [ROOT]` prints what is wrong and exits 1.

Standard library only. Looks at the files that git tracks, or at all of them where there is no git.
"""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rules  # noqa: E402

CODE = ("common/", "operator/", "runner/")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def files_of(root):
    """Paths relative to root, sorted."""
    try:
        out = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout
        names = [name for name in out.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, found in os.walk(root):
            folders[:] = [f for f in folders if f not in ("build", ".git", ".cache")]
            names += [os.path.relpath(os.path.join(folder, name), root) for name in found]
    return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))


def below(path, place):
    return path == place or path.startswith(place.rstrip("/") + "/")


def home_of(path):
    """The entry of FOLDERS that a file belongs to."""
    places = [place for place in rules.FOLDERS if below(path, place)]
    return max(places, key=len) if places else None


def sibling_of(path):
    return next((place for place in rules.SIBLINGS if below(path, place)), None)


def check_own_include(path, include):
    home = home_of(path)
    if home is None:
        return f"{path}: no entry in tests/lint/rules.py says what code here may include"
    theirs = sibling_of(include)
    if theirs and not path.startswith("tests/") and home_of(include) == home and sibling_of(path) not in (None, theirs):
        return f"{path}: includes {include}, of a folder beside it: share it in the folder above"
    if below(include, home):
        return None
    if any(below(include, place) for place in rules.FOLDERS[home]):
        return None
    return f"{path}: may not include {include}: {home} may see {', '.join(rules.FOLDERS[home]) or 'nothing of ours'}"


def check_foreign_include(path, include):
    first = include.split("/")[0]
    if "/" not in include and first not in rules.THIRD_PARTY:
        return None  # the standard library and the C library
    if first in rules.SYSTEM_FOLDERS:
        return None
    places = rules.THIRD_PARTY.get(first)
    if places is None:
        return f"{path}: <{include}> is of a library that tests/lint/rules.py does not list"
    if not any(below(path, place) for place in places):
        return f"{path}: <{include}> may stand only in {', '.join(places)}"
    if first == "prometheus" and path.startswith("operator/runtime/") and "/metrics" not in path:
        return f"{path}: <{include}> may stand only in operator/runtime/metrics*"
    header = path.endswith(".h") and path.startswith(CODE)
    if header and first in rules.NEVER_IN_HEADERS and path not in rules.HEADERS_OF_LIBRARIES:
        return f"{path}: <{include}> may not stand in a header"
    return None


def check_includes(path, text):
    pure = os.path.splitext(path)[0] in rules.PURE
    for ours, foreign in INCLUDE.findall(text):
        include = ours or foreign
        problem = check_own_include(path, ours) if ours else check_foreign_include(path, foreign)
        if problem:
            yield problem
        if pure and include in rules.IMPURE_INCLUDES:
            yield f"{path}: is a pure decision and may not include {include}"


def check_length(path, text):
    if not path.endswith(rules.COUNTED):
        return
    most = rules.MAX_LINES_OF_TESTS if path.startswith("tests/") else rules.MAX_LINES
    lines = text.count("\n")
    if lines > most:
        yield f"{path}: {lines} lines, at most {most}: split it by what its parts do"


def check_header(path, text):
    if path.endswith(".h") and path.startswith(CODE) and not text.startswith("#pragma once\n"):
        yield f"{path}: must start with #pragma once"


def check_names(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(rules.MACHINE_PATH, line) and not path.startswith("tests/lint/"):
            yield f"{path}:{number}: names a folder of somebody's machine"
        host = re.search(rules.REGISTRY_HOSTS, line)
        if host and not path.startswith(tuple(rules.HOSTS_ALLOWED)):
            yield f"{path}:{number}: names the registry {host.group()}; let it be configured"


def check_links(root, path, text):
    if not path.endswith(".md"):
        return
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z][a-z0-9+.-]*:", target) or target.startswith("#"):
            continue
        place = os.path.normpath(os.path.join(os.path.dirname(path), target.split("#")[0]))
        if not os.path.exists(os.path.join(root, place)):
            yield f"{path}: the link {target} leads nowhere"


def check_tree(root):
    for path in files_of(root):
        with open(os.path.join(root, path), "rb") as file:
            data = file.read()
        if b"\0" in data:
            continue  # not text
        text = data.decode("utf-8", "replace")
        if path.endswith((".h", ".cc")) and path.startswith(CODE + ("tests/",)):
            yield from check_includes(path, text)
        yield from check_length(path, text)
        yield from check_header(path, text)
        if not path.endswith(".sum"):
            yield from check_names(path, text)
        yield from check_links(root, path, text)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(here))
    problems = list(check_tree(root))
    print("\n".join(problems) if problems else f"lint: {len(files_of(root))} files, nothing wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
