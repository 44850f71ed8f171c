#!/usr/bin/env python3
"""The lint refuses what it must and nothing else."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lint  # noqa: E402

GOOD = {
    "common/base/a.h": "#pragma once\n#include <string>\n#include <tl/expected.hpp>\n",
    "common/base/bytes.cc": '#include "common/base/a.h"\n#include <zlib.h>\n#include <sys/stat.h>\n',
    "common/contract/b.cc": '#include "common/base/a.h"\n',
    "common/spec/c.cc": '#include <re2/re2.h>\n#include "common/contract/b.h"\n',
    "operator/k8s/client.cc": '#include "operator/http/transport.h"\n#include "operator/k8s/watch/step.h"\n',
    "operator/k8s/auth/kubeconfig.cc": '#include <yaml-cpp/yaml.h>\n#include "operator/k8s/client.h"\n',
    "operator/runtime/metrics.cc": "#include <prometheus/registry.h>\n",
    "operator/stresstest/reconciler.h": '#pragma once\n#include "operator/runtime/reconciler.h"\n',
    "operator/main.cc": '#include "operator/app/options.h"\n#include "common/spec/load.h"\n',
    "runner/workload/training.cc": "#include <torch/nn.h>\n",
    "tests/unit/a_test.cc": '#include <gtest/gtest.h>\n#include "operator/http/tls.h"\n',
    "README.md": "[a](common/base/a.h) [b](#part) [c](https://example.org) [d](docs/x.md#part)\n```\n[no](no)\n```\n",
    "docs/x.md": "[up](../README.md)\n",
    "images/runner/Dockerfile": "ARG HOST=https://conda.anaconda.org\n",
    "tests/x_test.cc": "// " + "\n" * 450,
}

# file, text, a part of the complaint
BAD = [
    ("common/base/a.cc", '#include "common/contract/b.h"\n', "may not include common/contract/b.h"),
    ("common/contract/a.cc", '#include "common/spec/load.h"\n', "may not include common/spec/load.h"),
    ("common/contract/a.cc", '#include "operator/k8s/meta.h"\n', "may not include operator/k8s/meta.h"),
    ("common/contract/a.cc", "#include <yaml-cpp/yaml.h>\n", "may stand only in common/spec"),
    ("common/base/a.cc", "#include <torch/torch.h>\n", "may stand only in runner/device, runner/model, runner/pattern, runner/product, runner/workload"),
    ("operator/http/a.cc", '#include "operator/k8s/client.h"\n', "may not include operator/k8s/client.h"),
    ("operator/k8s/a.cc", '#include "operator/http/cpprest_transport.h"\n', "may not include operator/http/cpprest"),
    ("operator/k8s/a.cc", '#include "operator/runtime/manager.h"\n', "may not include operator/runtime/manager.h"),
    ("operator/k8s/a.cc", "#include <cpprest/http_client.h>\n", "may stand only in operator/http"),
    ("operator/k8s/watch/a.cc", "#include <openssl/evp.h>\n", "may stand only in common/base"),
    ("operator/k8s/events/a.cc", '#include "operator/k8s/auth/config.h"\n', "of a folder beside it"),
    ("operator/k8s/a.h", "#pragma once\n#include <yaml-cpp/yaml.h>\n", "may stand only in"),
    ("operator/runtime/a.cc", '#include "operator/http/transport.h"\n', "may not include operator/http/transport.h"),
    ("operator/runtime/queue.cc", "#include <prometheus/counter.h>\n", "only in operator/runtime/metrics"),
    ("operator/runtime/metrics.h", "#pragma once\n#include <prometheus/counter.h>\n", "may not stand in a header"),
    ("operator/runtime/a.cc", '#include "common/contract/spec.h"\n', "may not include common/contract/spec.h"),
    ("operator/stresstest/a.cc", '#include "operator/runtime/manager.h"\n', "may not include operator/runtime/man"),
    ("operator/stresstest/decide.cc", "#include <thread>\n", "pure decision"),
    ("operator/stresstest/decide.cc", '#include "common/base/log.h"\n', "pure decision"),
    ("runner/app/a.cc", '#include "operator/k8s/meta.h"\n', "may not include operator/k8s/meta.h"),
    ("runner/report/a.cc", "#include <ATen/ATen.h>\n", "may stand only in runner/device, runner/model, runner/pattern, runner/product, runner/workload"),
    ("runner/workload/a.h", "#pragma once\n#include <torch/torch.h>\n", "may not stand in a header"),
    ("runner/device/a.cc", '#include "runner/workload/training.h"\n', "may not include runner/workload"),
    ("runner/new/a.cc", '#include "common/base/a.h"\n', "no entry in tests/lint/rules.py"),
    ("common/base/a.cc", "#include <spdlog/spdlog.h>\n", "does not list"),
    ("common/base/a.cc", "#include <gtest/gtest.h>\n", "may stand only in tests"),
    ("common/base/a.h", "// Late.\n#pragma once\n", "must start with #pragma once"),
    ("operator/app/a.cc", "\n" * 301, "301 lines, at most 300"),
    ("tests/a.py", "\n" * 501, "501 lines, at most 500"),
    ("docs/a.md", "see /wo" "rk/shared/design.md\n", "a.md:1: names a folder"),
    ("cmake/a.cmake", 'set(x "/root/.cache")\n', "names a folder"),
    ("a.sh", "cd /home/me/src\n", "names a folder"),
    ("a.sh", "\npull quay.io/x/y\n", "a.sh:2: names the registry quay.io"),
    ("docs/a.md", "[gone](gone.md)\n", "the link gone.md leads nowhere"),
    ("docs/a.md", "[gone](../docs/gone/#x)\n", "leads nowhere"),
]


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return list(lint.check_tree(root))


class LintTest(unittest.TestCase):
    def test_a_good_tree_passes(self):
        self.assertEqual(check(GOOD), [])

    def test_each_bad_file_is_refused_once(self):
        for path, text, complaint in BAD:
            with self.subTest(path=path, text=text[:60]):
                problems = check({path: text})
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(complaint, problems[0])


if __name__ == "__main__":
    unittest.main()
