# Sourced by the scripts that need a DynamoDB emulator.

# with_emulator LOG COMMAND … runs the command with an emulator of DynamoDB, which
# ends when the script ends its background processes.
with_emulator() {
  local log=$1
  shift
  scripts/emulator install
  start_emulator "$log" || { cat "$log"; return 1; }
  export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:$port AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  "$@"
}

# start_emulator LOG starts the emulator on a free port, sets port, and waits until
# it answers. The ports are below those that Linux gives to outgoing connections. A
# port can be taken nevertheless, so it tries several.
start_emulator() {
  local emulator
  for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 12000))
    scripts/emulator run "$port" >"$1" 2>&1 &
    emulator=$!
    for _ in $(seq 100); do
      sleep 0.2
      kill -0 "$emulator" 2>/dev/null || break # before the connection, which another program may accept
      (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
    done
    kill "$emulator" 2>/dev/null || true
  done
  return 1
}
