# shellcheck shell=bash
# Starts and stops the cluster's daemons. A daemon is known by a record in $STATE/pids/NAME: process number, start time
# and boot. A signal is sent only while all three still hold, so never to a stranger that got the number later.

BOOT=$(</proc/sys/kernel/random/boot_id)

# The state, the start time and the number of threads of a process, or nothing if there is none.
process_stat() {
  local line fields
  { line=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
  read -ra fields <<<"${line##*) }" # The program's name comes before and may hold anything.
  printf '%s %s %s\n' "${fields[0]}" "${fields[19]}" "${fields[17]}"
}

# start NAME COMMAND...: in the background, with a log of its own, surviving this shell and holding none of its locks.
start() {
  local name=$1 pid
  shift
  mkdir -p "$STATE/log" "$STATE/pids"
  printf -- '--- started by %s\n' "${0##*/}" >>"$STATE/log/$name.log"
  setsid "$@" </dev/null >>"$STATE/log/$name.log" 2>&1 8<&- 9<&- &
  pid=$!
  printf '%s %s %s\n' "$pid" "$(process_stat "$pid" | cut -d' ' -f2)" "$BOOT" >"$STATE/pids/$name"
}

# pid_of NAME: prints the number of the daemon's process, or fails if it does not run. One that has ended but is not yet
# collected by its parent counts as ended. Its first thread may end before the others, which until then hold what the
# process had open, such as the port that the next start needs; so that one counts as running.
pid_of() {
  local pid began boot status now threads
  { read -r pid began boot <"$STATE/pids/$1"; } 2>/dev/null || return 1
  [[ $boot == "$BOOT" ]] || return 1
  read -r status now threads < <(process_stat "$pid") || return 1
  [[ $now == "$began" ]] && [[ $status != [ZX] || $threads -gt 1 ]] || return 1
  printf '%s\n' "$pid"
}

# When the daemon was started, in seconds since the epoch.
started_at() { stat -c %Y "$STATE/pids/$1" 2>/dev/null || echo 0; }

# stop NAME [SIGNAL] [SECONDS]: sends the signal, waits, and kills what is still there then.
stop() {
  local name=$1 signal=${2:-TERM} seconds=${3:-10} pid deadline
  if pid=$(pid_of "$name"); then
    kill "-$signal" "$pid" 2>/dev/null || true
    deadline=$((SECONDS + seconds))
    while pid_of "$name" >/dev/null; do
      ((SECONDS < deadline)) || kill -KILL "$pid" 2>/dev/null || true
      sleep 0.05
    done
  fi
  rm -f "$STATE/pids/$name"
}
