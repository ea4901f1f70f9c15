# shellcheck shell=bash
# Shared by the scripts: where things are, how steps report. Sourced, not run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
venv=$root/.venv
build_folder=${LANZA_BUILD:-$root/build} # an absolute path; the sanitizers' builds stand beside it: build-asan, build-tsan
read -ra extra_flags <<<"${LANZA_CMAKE_FLAGS:-}" # given to CMake last
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 # a checkout elsewhere finds what this one compiled
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

say() { printf '\n== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# without_passed: of what GoogleTest printed only what stands outside tests that passed or were skipped. A test that ended its process has no end.
without_passed() {
  awk '/^\[ RUN      \]/ { if (holds) print held; held = $0; holds = 1; next }
       /^\[       OK \]|^\[  SKIPPED \]/ && holds { holds = 0; next }
       /^\[  FAILED  \]/ && holds { print held; holds = 0 }
       holds { held = held "\n" $0; next }
       { print }
       END { if (holds) print held }'
}

# what_failed LOG: of ctest and pytest the tests that failed, their names and then what they printed, as a log ends with what was skipped, or with
# another run's end; else the end of the log.
what_failed() {
  if grep -q '^The following tests FAILED' "$1"; then
    sed -n '/^The following tests FAILED/,/^$/p' "$1" | head -n 40
    awk '/^ *[0-9]+\/[0-9]+ Test +#|^ +Start +[0-9]+:/ { shown = /\*\*\*(Failed|Timeout|Exception|Not Run)|Subprocess aborted/ } shown' "$1" |
      without_passed | grep -v '^\[-* *\]\|^$' | head -n 200
  elif grep -qE '^(FAILED|ERROR) ' "$1"; then
    grep -E '^(FAILED|ERROR) ' "$1" | head -n 40
    awk '/^=+ (FAILURES|ERRORS) =+$/ { shown = 1 } /^=+ (warnings|short test) summary/ { shown = 0 } shown' "$1" | head -n 200
  else
    tail -n 60 "$1"
  fi
}

# step NAME COMMAND...: runs a command with its output in a log, prints its last line and time; remembers a failure and goes on.
# Functions given to it chain their commands with &&: bash ignores `set -e` in what is asked for its status.
failed=()
logs=
step() {
  local name=$1 start=$SECONDS status=0
  shift
  mkdir -p "$logs"
  "$@" >"$logs/$name.log" 2>&1 || status=$?
  local last
  last=$(grep -E '^[0-9]+% tests passed' "$logs/$name.log" | tail -n 1 || true) # ctest lists what it skipped after its closing line
  [ -n "$last" ] || last=$(grep -v '^[[:space:]]*$' "$logs/$name.log" | tail -n 1 || true)
  if [ $status -eq 0 ]; then
    printf 'ok      %-14s %4ds  %s\n' "$name" $((SECONDS - start)) "$last"
  else
    printf 'FAILED  %-14s %4ds  %s\n' "$name" $((SECONDS - start)) "$last"
    what_failed "$logs/$name.log" | sed 's/^/        | /'
    failed+=("$name")
  fi
  return $status
}

# finish: the summary of all steps, and the exit status.
finish() {
  if [ ${#failed[@]} -eq 0 ]; then
    printf '\nAll steps passed in %d min %d s.\n' $((SECONDS / 60)) $((SECONDS % 60))
    exit 0
  fi
  printf '\nFAILED: %s (logs in %s)\n' "${failed[*]}" "$logs"
  exit 1
}

# Flags of CMake that the machine allows: the faster linker where there is one.
cmake_flags() {
  if command -v mold >/dev/null; then
    printf '%s\n' -DCMAKE_{EXE,SHARED,MODULE}_LINKER_FLAGS=-fuse-ld=mold
  fi
}

# build PRESET FOLDER [FLAGS...]: configures and builds.
build() {
  local preset=$1 folder=$2 flags
  shift 2
  mapfile -t flags < <(cmake_flags)
  flags+=(-DPython_EXECUTABLE="$venv/bin/python" -DPython3_EXECUTABLE="$venv/bin/python")
  cmake --preset "$preset" -B "$folder" "${flags[@]}" "$@" "${extra_flags[@]}" && cmake --build "$folder"
}

# The tree as demo and test build it: the same flags, so that neither rebuilds what the other built.
build_main() { build ci "$build_folder" -DLANZA_PYTHON=ON -DLANZA_BENCHMARKS=ON; }

# Python with the package from the build tree.
python_of_build() {
  PYTHONPATH=$build_folder/python:$root/python/lanza-pycuda/src VIRTUAL_ENV=$venv "$venv/bin/python" "$@"
}
