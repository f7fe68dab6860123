# Sourced by the scripts that need Go.

# need_go ends the script with advice unless there is a Go that can build this
# module.
need_go() {
  if ! command -v go >/dev/null 2>&1; then
    echo "Gatehouse needs Go $(wanted_go) or newer, and there is no 'go' on the PATH. See https://go.dev/doc/install" >&2
    exit 1
  fi
  local have want
  have=$(go env GOVERSION | sed 's/^go//; s/[^0-9.].*//')
  want=$(wanted_go)
  if [ "$(printf '%s\n%s\n' "$want" "$have" | sort -V | head -n 1)" != "$want" ] &&
    [ "$(go env GOTOOLCHAIN)" = local ]; then
    echo "Gatehouse needs Go $want or newer; this is Go $have. See https://go.dev/doc/install" >&2
    exit 1
  fi
}

wanted_go() { sed -n 's/^go //p' go.mod; }
