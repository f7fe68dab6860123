# Sourced by the scripts that start a server.

# start_server LOG [NAME=VALUE …] starts the built server on a free port with a
# fresh data directory and waits until it answers. It sets GATEHOUSE_URL,
# GATEHOUSE_ROOT_TOKEN, GATEHOUSE_ROOT_PASSWORD and server_pid.
start_server() {
  local log=$1
  shift
  start_program "$log" 30 env "$@" GATEHOUSE_LISTEN=127.0.0.1:0 .cache/bin/gatehouse
}

# start_demo LOG does so with the demonstration's data.
start_demo() {
  start_program "$1" 30 env GATEHOUSE_LISTEN=127.0.0.1:0 .cache/bin/gatehouse --demo
}

# start_program LOG SECONDS COMMAND … does so with a command that serves Gatehouse.
start_program() {
  local log=$1 seconds=$2
  shift 2
  : >"$log" # it may hold the address of an earlier server
  server_data=$(mktemp -d)
  export GATEHOUSE_ROOT_TOKEN="gtpat-$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')"
  export GATEHOUSE_ROOT_PASSWORD="pw-$(od -An -N12 -tx1 /dev/urandom | tr -d ' \n')"
  GATEHOUSE_DATA="$server_data" "$@" >"$log" 2>&1 &
  server_pid=$!
  for _ in $(seq $((seconds * 5))); do
    GATEHOUSE_URL=$(sed -n 's/^Gatehouse is at //p' "$log")
    if [ -n "$GATEHOUSE_URL" ]; then
      export GATEHOUSE_URL
      return 0
    fi
    kill -0 "$server_pid" 2>/dev/null || break
    sleep 0.2
  done
  echo "The server did not start:" >&2
  cat "$log" >&2
  return 1
}

# stop_server ends the server, which must exit with 0, and removes its data.
stop_server() {
  kill -TERM "$server_pid"
  local status=0
  wait "$server_pid" || status=$?
  rm -rf "$server_data"
  [ "$status" = 0 ] || echo "The server exited with $status on SIGTERM." >&2
  return "$status"
}
