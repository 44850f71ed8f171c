"""What the lint checks against: who may include whom, how long files may be, what no file may name.

Arrows point down only. A folder that is not in FOLDERS may not hold C++ code: add it there first.
"""

# Folder (or one file) -> what of ours it may include: folders, or single headers. A folder may always
# include itself and its own subfolders, except where SIBLINGS says otherwise. The longest match wins.
FOLDERS = {
    "common/base": [],
    "common/contract": ["common/base"],
    "common/spec": ["common/base", "common/contract"],
    "common/stats": [],
    "operator/http": ["common/base"],
    "operator/k8s": ["common/base", "operator/http/transport.h", "operator/http/url.h"],
    "operator/runtime": ["common/base", "operator/k8s"],
    "operator/stresstest": [
        "common/base",
        "common/contract",
        "common/spec",
        "operator/k8s",
        "operator/runtime/reconciler.h",
        "operator/runtime/log_follower.h",
        "operator/runtime/prefix_lines.h",
    ],
    "operator/app": ["common", "operator"],
    "operator/main.cc": ["common", "operator"],
    "runner/device": ["common/base", "common/contract"],
    "runner/stats": ["common/base"],
    "runner/detect": ["common/base", "common/contract", "common/stats", "runner/stats", "runner/device/step_part.h"],
    "runner/measure": ["common/base", "common/contract", "common/stats", "runner/detect", "runner/stats", "runner/device/device.h"],
    "runner/report": ["common/base", "common/contract", "common/stats", "runner/detect", "runner/measure", "runner/stats", "runner/device/step_part.h"],
    "runner/verify": [
        "common/base",
        "common/contract",
        "common/stats",
        "runner/detect",
        "runner/measure",
        "runner/report",
        "runner/stats",
    ],
    "runner/watch": ["common/base", "runner/measure"],
    "runner/canary": [
        "common/base",
        "common/contract",
        "runner/detect",
        "runner/device/device.h",
        "runner/measure",
        "runner/report",
        "runner/watch",
        "runner/workload/backend.h",
    ],
    "runner/model": ["common/base", "common/contract", "runner/device/scalar_type.h"],
    "runner/pattern": ["common/base"],
    "runner/product": ["common/base", "common/contract", "runner/device/scalar_type.h"],
    "runner/workload": ["common/base", "common/contract", "common/stats", "runner/device", "runner/model", "runner/pattern", "runner/product"],
    "runner/app": ["common", "runner"],
    "runner/main.cc": ["common", "runner"],
    "runner/torch_main.cc": ["common", "runner"],
    "tests": ["common", "operator", "runner", "tests"],
}

# Subfolders that do not include each other; what they share stands in the folder above.
SIBLINGS = ["operator/k8s/auth", "operator/k8s/election", "operator/k8s/events"]

# First part of a <third/party.h> include -> where it may stand. What is not here is not ours to use.
THIRD_PARTY = {
    "nlohmann": ["common", "operator", "runner", "tests"],
    "tl": ["common/base"],
    "zlib.h": ["common/base", "common/contract", "tests"],
    "openssl": ["common/base", "operator/http", "tests"],
    "yaml-cpp": ["common/spec", "operator/k8s/auth", "tests"],
    "re2": ["common/spec", "tests"],
    "cpprest": ["operator/http", "tests"],
    "pplx": ["operator/http", "tests"],
    "boost": ["operator/http", "tests"],
    "CivetServer.h": ["operator/http", "tests"],
    "civetweb.h": ["operator/http", "tests"],
    "prometheus": ["operator/runtime", "tests"],
    "CLI": ["operator/app", "operator/main.cc", "runner/app", "runner/main.cc"],
    "torch": ["runner/device", "runner/model", "runner/pattern", "runner/product", "runner/workload", "tests/unit/runner"],
    "ATen": ["runner/device", "runner/model", "runner/pattern", "runner/product", "runner/workload", "tests/unit/runner"],
    "c10": ["runner/device", "runner/model", "runner/pattern", "runner/product", "runner/workload", "tests/unit/runner"],
    "caffe2": ["runner/device", "runner/model", "runner/pattern", "runner/product", "runner/workload", "tests/unit/runner"],
    "gtest": ["tests"],
    "gmock": ["tests"],
}

# These stand in no header of common, operator and runner: who includes it must not need them.
NEVER_IN_HEADERS = {"torch", "ATen", "c10", "caffe2", "cpprest", "pplx", "boost", "openssl", "yaml-cpp", "re2",
                    "prometheus", "zlib.h", "CivetServer.h", "civetweb.h", "CLI"}
# ... but in these headers, which only their own folder includes.
HEADERS_OF_LIBRARIES = {
    "operator/http/push_buffer.h",
    "operator/http/cpprest_call.h",
    "operator/http/cpprest_transport.h",
    "operator/http/exchange.h",
    "operator/http/tls.h",
    "runner/model/module_model.h",
    "runner/model/transformer.h",
    "runner/product/bit_sums.h",
    "runner/product/matrix_source.h",
    "runner/product/product_reference.h",
}

# Decisions: no clock, no chance, no files, no threads, no log.
PURE = [
    "operator/stresstest/decide",
    "operator/stresstest/failure_policy",
    "operator/k8s/watch/reflector_step",
    "operator/k8s/watch/watch_event",
    "common/contract/gates",
    "common/contract/verdict",
    "runner/detect/drift",
    "runner/pattern/pattern",
    "runner/product/golden",
    "runner/detect/exact_leak",
    "runner/detect/growth",
    "common/stats/trend",
    "common/stats/change_point",
    "common/stats/poisson",
    "common/stats/timing",
    "runner/workload/block_timer",
]
IMPURE_INCLUDES = {"thread", "mutex", "condition_variable", "fstream", "iostream", "unistd.h", "ctime", "random",
                   "filesystem", "common/base/log.h"}

# Kernel and C library folders; the standard library's headers have no slash.
SYSTEM_FOLDERS = {"sys", "net", "netinet", "arpa", "linux", "bits", "experimental"}

MAX_LINES = 300
MAX_LINES_OF_TESTS = 500  # tables
COUNTED = (".h", ".cc", ".py", ".sh", ".cmake", ".go", "CMakeLists.txt")

# Folders of the machines that this is written on.
MACHINE_PATH = (
    r"(?<![A-Za-z0-9_.~$}-])/(?:(?:work|root)(?:/|$|(?=[\s\"'`)]))|home/(?!u/|user/|nonroot)[a-z])"
)

REGISTRY_HOSTS = (
    r"\b(?:docker\.io|ghcr\.io|quay\.io|gcr\.io|registry\.k8s\.io|nvcr\.io|public\.ecr\.aws|"
    r"mcr\.microsoft\.com|pypi\.org|files\.pythonhosted\.org|proxy\.golang\.org|sum\.golang\.org|"
    r"download\.pytorch\.org|(?:conda|repo)\.anaconda\.(?:org|com)|deb\.debian\.org|registry\.npmjs\.org)\b"
)
# Where a host is named with a reason.
HOSTS_ALLOWED = {
    "images/": "defaults of build arguments, to be overridden",
    "tests/e2e/": "images that must be refused",
    "tests/lint/": "this list",
}
