# Sourced by the scripts that need a DynamoDB emulator.

# with_emulator LOG COMMAND … runs the command with an emulator of DynamoDB, which
# ends when the script ends its background processes.
with_emulator() {
  local log=$1
  shift
  scripts/emulator install
  start_emulator "$log" scripts/emulator run || { cat "$log"; return 1; }
  export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:$port AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  "$@"
}

# with_streams LOG COMMAND … does so with an emulator that has DynamoDB Streams too. It
# is a slow one: Moto (Apache-2.0), a program in Python.
with_streams() {
  local log=$1
  shift
  need_python scripts/streams streams
  start_emulator "$log" "$tools/streams/bin/moto_server" -H 127.0.0.1 -p || { cat "$log"; return 1; }
  export AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:$port AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  export AWS_ENDPOINT_URL_DYNAMODB_STREAMS=$AWS_ENDPOINT_URL_DYNAMODB
  "$@"
}

# start_emulator LOG COMMAND … starts the command with a free port as its last argument,
# sets port, and waits until it answers. The ports are below those that Linux gives to
# outgoing connections. A port can be taken nevertheless, so it tries several.
start_emulator() {
  local emulator log=$1
  shift
  for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 12000))
    "$@" "$port" >"$log" 2>&1 &
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
