# Sourced by the scripts that need Docker.

# need_docker ends the script with advice unless Docker runs here.
need_docker() {
  local reason
  reason=$(docker info --format '{{.ServerVersion}}' 2>&1 >/dev/null) && return
  echo "This needs Docker, for example Docker Desktop or Debian's docker.io. $reason" >&2
  exit 1
}

# docker_bridge prints the network interface through which containers reach this
# machine. Docker Desktop has it inside a virtual machine and goes to loopback here.
docker_bridge() {
  if [ "$(docker info --format '{{.OperatingSystem}}')" = "Docker Desktop" ]; then
    echo none
  else
    docker network inspect bridge --format '{{index .Options "com.docker.network.bridge.name"}}'
  fi
}

# start_docker DIR starts a Docker of its own, unless one runs here. It keeps everything
# in the directory, leaves the firewall alone, and ends with the script's background
# processes. Where none can run, start_docker prints why and returns 1.
start_docker() {
  docker info >/dev/null 2>&1 && return
  need_package dockerd docker.io || return
  mkdir -p "$1"
  exec 8>/tmp/gatehouse-docker.lock
  flock 8 # the daemon keeps it: there can be one, as the name of its network is fixed
  export DOCKER_HOST=unix://$1/socket
  dockerd --host "$DOCKER_HOST" --data-root "$1/data" --exec-root "$1/exec" --pidfile "$1/pid" \
    --iptables=false --ip6tables=false >"$1/log" 2>&1 &
  local daemon=$!
  exec 8>&-
  for _ in $(seq 150); do
    docker container prune --force >/dev/null 2>&1 && return # those of an interrupted run
    kill -0 "$daemon" 2>/dev/null || break
    sleep 0.2
  done
  kill "$daemon" 2>/dev/null || true
  grep -E '^(failed|panic)' "$1/log"
  return 1
}

# need_lambda_image pulls the image that SAM runs functions in, and tries it. Where none
# can be pulled it makes one.
need_lambda_image() {
  local image
  image=public.ecr.aws/lambda/provided:al2023-$(uname -m | sed 's/aarch64/arm64/')
  export SAM_SKIP_PULL_IMAGE=1
  if ! docker image inspect "$image" >/dev/null 2>&1; then
    echo "Installing the image $image …"
    timeout 120 docker pull --quiet "$image" >/dev/null 2>&1 || make_lambda_image "$image" || return
  fi
  docker run --rm --network none --entrypoint /bin/sh "$image" -c :
}

# make_lambda_image NAME makes an image that is enough for functions that are a single
# static program: it has the commands with which SAM adds its runtime emulator.
make_lambda_image() {
  need_package busybox busybox-static || return
  local root
  root=$(mktemp -d)
  mkdir -p "$root"/{bin,tmp,var/task,var/rapid}
  cp "$(command -v busybox)" "$root/bin/busybox"
  for command in sh mv chmod; do
    ln -s busybox "$root/bin/$command"
  done
  tar -C "$root" -c . | docker import --change 'WORKDIR /var/task' - "$1" >/dev/null
  local status=$?
  rm -rf "$root"
  return "$status"
}
