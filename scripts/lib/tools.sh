# Sourced by the scripts that need more than Go. Each function installs what is
# missing, says so, and does nothing the second time. Everything is installed
# into .cache/, except Debian packages.

tools=$PWD/.cache/tools

# need_package COMMAND PACKAGE … installs Debian packages if there is no such
# command.
need_package() {
  local command=$1
  shift
  command -v "$command" >/dev/null 2>&1 || install_packages "$@"
}

# install_packages PACKAGE … installs Debian packages. Several scripts may do so
# at a time.
install_packages() {
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "This needs the Debian packages $*, or what corresponds to them. Install them and try again." >&2
    return 1
  fi
  echo "Installing $* …"
  mkdir -p "$tools"
  {
    flock 9
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
  } 9>"$tools/.apt"
}

# need_venv installs a Python with venv, which is a package of its own in Debian.
need_venv() {
  python3 -c 'import ensurepip, venv' 2>/dev/null && return
  install_packages python3 python3-venv
}

# need_chromium installs a Chromium without windows, or else the whole one.
need_chromium() {
  need_package chromium-headless-shell chromium-headless-shell fonts-liberation || need_package chromium chromium fonts-liberation
}

# need_node puts a Node.js of version 20 or newer on the PATH.
need_node() {
  need_package npm nodejs npm || return
  PATH=$tools/node/node_modules/.bin:$PATH
  if [ "$(node --version | sed 's/^v//; s/\..*//')" -lt 20 ]; then
    echo "Installing Node.js 22 …"
    npm install --loglevel=error --no-audit --no-fund --prefix "$tools/node" node@22
  fi
}

# need_modules DIR installs the npm packages of DIR/package-lock.json.
need_modules() {
  local stamp=$1/node_modules/.installed
  cmp -s "$1/package-lock.json" "$stamp" && return
  echo "Installing the npm packages of $1 …"
  (cd "$1" && npm ci --loglevel=error --no-audit --no-fund) && cp "$1/package-lock.json" "$stamp"
}

# need_python DIR [NAME] installs the Python packages of DIR/requirements.txt into
# the virtual environment $tools/NAME, by default $tools/python.
need_python() {
  need_venv || return
  local environment=$tools/${2-python}
  local stamp=$environment/.installed
  cmp -s "$1/requirements.txt" "$stamp" && return
  echo "Installing the Python packages of $1 …"
  python3 -m venv --clear "$environment" &&
    "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement "$1/requirements.txt" &&
    cp "$1/requirements.txt" "$stamp"
}

# need_java installs a Java compiler and Maven.
need_java() {
  need_package javac default-jdk-headless && need_package mvn maven
}

# need_jars DIR installs the Java packages of DIR/pom.xml into $tools/java.
need_jars() {
  local jars=$tools/java said
  cmp -s "$1/pom.xml" "$jars/.installed" && return
  echo "Installing the Java packages of $1 …"
  rm -rf "$jars"
  said=$(mvn --batch-mode --quiet --file "$1/pom.xml" -DoutputDirectory="$jars" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies 2>&1) || { echo "$said"; return 1; }
  cp "$1/pom.xml" "$jars/.installed"
}

# need_go_tool NAME PACKAGE@VERSION installs a Go program as $tools/bin/NAME.
need_go_tool() {
  local stamp=$tools/bin/.$1
  [ -x "$tools/bin/$1" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$2 $(go env GOVERSION)" ] && return
  echo "Installing $1 …"
  GOBIN=$tools/bin go install "$2" && echo "$2 $(go env GOVERSION)" >"$stamp"
}
