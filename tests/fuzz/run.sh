#!/usr/bin/env bash
# Fuzzes every parser of foreign bytes and says how much of the parsers was reached.
#
#   tests/fuzz/run.sh [SECONDS]
#
# Builds with clang-14 into build/fuzz (or $TORCHSOAK_FUZZ_BUILD), runs each target for at most SECONDS
# (default 300) or a million inputs, as many at a time as there are cores, then prints inputs and line
# coverage. Fails on a crash, a leak,
# a broken property, or under 90 % of a parser's lines. An input that crashes is left in
# build/fuzz/crashes. Needs clang-14 and llvm-14 (Debian); ccache is used when it is there.
set -euo pipefail

seconds=${1:-300}
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${TORCHSOAK_FUZZ_BUILD:-$root/build/fuzz}
jobs=${TORCHSOAK_JOBS:-$(nproc)}
minimum=90

# Target and longest input in bytes. Each gets a million inputs, or what fits its time.
inputs=1000000
targets="
duration             128
quantity             128
histogram           2048
report_frames       2048
termination_message 2048
watch_lines         2048
yaml                2048
"
parsers="
common/base/duration.cc
common/base/quantity.cc
common/base/units.cc
common/contract/checked_json.h
common/contract/histogram_codec.cc
common/contract/report_frames.cc
common/contract/result_decode.cc
common/contract/result_encode.cc
common/spec/load.cc
common/spec/metadata.cc
common/spec/rules.cc
common/spec/schema.cc
common/spec/schema_scalar.cc
common/spec/twins_pod.cc
common/spec/twins_spec.cc
common/spec/twins_thresholds.cc
common/spec/yaml.cc
common/spec/yaml_scalar.cc
operator/k8s/watch/line_splitter.cc
operator/k8s/watch/watch_event.cc
"

launcher=()
if command -v ccache > /dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

configure_and_build() {
  cmake -S "$root" -B "$build" -G Ninja "${launcher[@]}" \
    -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=Dev -DCMAKE_CXX_FLAGS="-fprofile-instr-generate -fcoverage-mapping" \
    -DTORCHSOAK_SANITIZER=fuzzer-no-link,address,undefined \
    -DTORCHSOAK_OPERATOR=OFF -DTORCHSOAK_RUNNER=OFF -DTORCHSOAK_FUZZ=ON > "$build.log"
  # shellcheck disable=SC2046  # one word a target
  ninja -C "$build" -j "$jobs" $(awk 'NF {print "fuzz_" $1}' <<< "$targets") >> "$build.log" ||
    { tail -40 "$build.log"; exit 1; }
}

# The seeds in the repository are read only: what is found goes to the build folder.
run_target() {
  local name=$1 longest=$2
  local seeds=("$root/tests/fuzz/corpus/$name") found=$build/corpus/$name
  if [ "$name" = yaml ]; then seeds+=("$root/tests/testdata/valid" "$root/tests/testdata/invalid"); fi
  mkdir -p "$found" "$build/crashes" "$build/profiles"
  cp "$root/tests/fuzz/dict/$name.dict" "$build/$name.dict"
  if [ "$name" = yaml ]; then
    /usr/bin/python3 "$root/tests/fuzz/crd_words.py" "$root/crds/stresstests.yaml" >> "$build/$name.dict"
  fi
  LLVM_PROFILE_FILE=$build/profiles/$name.profraw "$build/fuzz/fuzz_$name" \
    -runs="$inputs" -max_total_time="$seconds" -max_len="$longest" -timeout=20 -rss_limit_mb=2048 \
    -dict="$build/$name.dict" -artifact_prefix="$build/crashes/$name-" \
    -print_final_stats=1 "$found" "${seeds[@]}" > "$build/$name.log" 2>&1 ||
    { tail -40 "$build/$name.log"; echo "FAILED: $name, see $build/crashes"; exit 1; }
  awk -v name="$name" '/stat::number_of_executed_units/ {printf "%-20s %9d inputs\n", name, $2}' "$build/$name.log"
}

report_coverage() {
  local objects=()
  for name in $(awk 'NF {print $1}' <<< "$targets"); do objects+=(-object "$build/fuzz/fuzz_$name"); done
  llvm-profdata-14 merge -o "$build/all.profdata" "$build"/profiles/*.profraw
  llvm-cov-14 export -summary-only -instr-profile="$build/all.profdata" -ignore-filename-regex='^/usr/' \
    "${objects[@]}" > "$build/coverage.json" 2> "$build/coverage.log"
  # shellcheck disable=SC2086  # one word a file
  python3 "$root/tests/fuzz/coverage.py" "$build/coverage.json" "$minimum" $parsers
}

mkdir -p "$(dirname "$build")"
configure_and_build
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT
while read -r name longest; do
  [ -n "$name" ] || continue
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  run_target "$name" "$longest" &
done <<< "$targets"
while [ -n "$(jobs -p)" ]; do wait -n; done
awk '/stat::number_of_executed_units/ {total += $2} END {print "inputs in total: " total}' "$build"/*.log
report_coverage
