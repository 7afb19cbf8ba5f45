# Sourced by ./run, ./test and whoever works on the code: finds what they need, fetches what is
# missing where it may, and else says in a sentence what to install. Doing it again changes nothing.
#
#   source scripts/tools.sh && rust        Rust with the WebAssembly target is first on PATH
#
# RANKRATE_TOOLS  where fetched and built tools go (default: .tools in the checkout)
# CI              set: what a test needs and is missing is a failure, not a skip

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=${RANKRATE_TOOLS:-$checkout/.tools}
rust_needed=1.95
wasm_target=wasm32-unknown-unknown

say() { printf 'set-up: %s\n' "$*" >&2; }
# Ends a script; at a prompt, only what was typed.
fail() {
  say "$*"
  case $- in *i*) kill -INT $$ ;; *) exit 1 ;; esac
}
has() { command -v "$1" >/dev/null 2>&1; }

# A missing test tool: a failure in CI, elsewhere a skip with a sentence.
skip() {
  [ -n "${CI:-}" ] && fail "$* (CI is set, so this is not skipped)"
  say "skipped: $*"
}

# Installs packages of Debian and its relatives, where we may; says whether that was possible.
apt_install() {
  has apt-get && [ "$(id -u)" = 0 ] || return 1
  say "installing $* from the distribution"
  local apt=(apt-get -qq -o Dpkg::Use-Pty=0 -y --no-install-recommends install)
  DEBIAN_FRONTEND=noninteractive "${apt[@]}" "$@" >/dev/null 2>&1 && return
  apt-get -qq update >/dev/null 2>&1
  DEBIAN_FRONTEND=noninteractive "${apt[@]}" "$@" >/dev/null
}

at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }
rust_is_new() { has rustc && has cargo && at_least $rust_needed "$(rustc -V | cut -d' ' -f2)"; }
has_wasm() { ls "$(rustc --print sysroot)/lib/rustlib/$wasm_target/lib"/libstd-*.rlib >/dev/null 2>&1; }

# Rust with the WebAssembly target. One compiler builds server, browser's part and lints.
rust() {
  has cc || apt_install gcc libc6-dev || fail "a C compiler is missing; install gcc or clang"
  if rust_is_new && has_wasm; then return; fi
  if has rustup && [ "${RUSTUP_AUTO_INSTALL:-1}" != 0 ]; then
    rust_is_new || fail "Rust $rust_needed or newer is needed; get it with: rustup update stable"
    say "adding the WebAssembly target to Rust"
    rustup target add $wasm_target || fail "rustup could not add the target $wasm_target"
    return
  fi
  distribution_rust
}

# The distribution's Rust, for machines on which rustup may install nothing.
distribution_rust() {
  local bin=$tools/rust/bin program
  if ! [ -x /usr/bin/rustc ] || ! at_least $rust_needed "$(/usr/bin/rustc -V | cut -d' ' -f2)" ||
    ! [ -d /usr/src/rustc-*/library ] || ! [ -x /usr/bin/clippy-driver ] || ! [ -x /usr/bin/rustfmt ]; then
    apt_install rustc-web cargo-web rust-web-src rust-web-clippy rustfmt-web lld-22 ||
      fail "Rust $rust_needed with the target $wasm_target is needed: get rustup from https://rustup.rs and run: rustup target add $wasm_target"
  fi
  mkdir -p "$bin"
  for program in rustc rustdoc cargo cargo-clippy clippy-driver cargo-fmt rustfmt; do
    ln -sf /usr/bin/$program "$bin/$program"
  done
  "$checkout/scripts/wasm-std.sh" /usr/bin
  export PATH=$bin:$PATH
}

# Rust's lints and formatter, for the tests.
rust_checks() {
  cargo clippy --version >/dev/null 2>&1 || rustup component add clippy ||
    fail "clippy is missing; install it with: rustup component add clippy"
  cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt ||
    fail "rustfmt is missing; install it with: rustup component add rustfmt"
}

# Node, and the packages that a folder's lock file names: `node_packages end2end`.
node_packages() {
  has npm || apt_install nodejs npm || fail "Node 20 or newer is missing; install it from https://nodejs.org"
  local folder=$checkout/$1
  if ! [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ]; then
    say "fetching the Node packages of $1"
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --silent --prefix "$folder" || fail "npm could not fetch the packages of $1"
    touch "$folder/node_modules/.package-lock.json"
  fi
}

# A Chromium to test in; says whether there is one.
chromium() {
  has "${CHROMIUM:-chromium}" || has chromium-browser || has google-chrome || apt_install chromium
}

# PostgreSQL's own programs, from which the tests start clusters; says whether there are any.
postgres() {
  has initdb || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || apt_install postgresql
}
