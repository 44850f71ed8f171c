#!/usr/bin/env python3
"""Makes the model files of this folder, with torch 2.11: run it in a venv when the runner's LibTorch
changes. They are small, and checked in because neither builds nor tests have Python's torch."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import torch

HERE = pathlib.Path(__file__).parent
EXPORT = HERE.parents[2] / "docs/export_model.py"
# Compiled code must run on any processor of CI, and its debug information is for nobody.
COMPILER = '#!/bin/bash\nexec g++ -g0 -s "${@/-march=native/-march=x86-64-v2}"\n'


class TwoInputs(torch.nn.Module):
    """Numbers [n, 12] and words [n, 6] to a dictionary of logits [n, 4]."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(100, 8)
        self.out = torch.nn.Linear(12 + 8, 4)

    def forward(self, numbers, words):
        return self.out(torch.cat([numbers, self.words(words).mean(1)], 1))


def build():
    torch.manual_seed(1)
    return TwoInputs()


def export(name):
    subprocess.run([sys.executable, EXPORT, "make:build", HERE / name, "--input", "12",
                    "--input", "6:INT64:100"], cwd=HERE, check=True)


def portable():
    """Makes Inductor compile for every x86-64."""
    compiler = pathlib.Path(tempfile.mkdtemp()) / "g++"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    os.environ.update(CXX=str(compiler), ATEN_CPU_CAPABILITY="default",
                      TORCHINDUCTOR_CACHE_DIR=str(compiler.parent / "cache"))


def rewrite(source, target, change):
    """A copy of an archive with `change(name, bytes)` for each member."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            new.writestr(entry.filename, change(entry.filename, old.read(entry)))


def main():
    portable()
    export("two-inputs.pt")
    export("two-inputs.pt2")
    # The loader wants to see the names of the sources, not what is in them.
    rewrite(HERE / "two-inputs.pt2", HERE / "without-sources.pt2",
            lambda name, data: b"" if name.endswith(".cpp") else data)
    os.replace(HERE / "without-sources.pt2", HERE / "two-inputs.pt2")
    torch.save(build().state_dict(), HERE / "weights-only.pt")
    rewrite(HERE / "two-inputs.pt", HERE / "newer.pt",
            lambda name, data: b"99\n" if name.endswith("/version") else data)
    shutil.rmtree(HERE / "__pycache__", ignore_errors=True)


if __name__ == "__main__":
    main()
