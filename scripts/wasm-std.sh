#!/usr/bin/env bash
# Builds the wasm32 standard library for the distribution's Rust, once a version of the compiler.
#
# Used only where rustup may not install toolchains; with rustup it is `rustup target add`.
# Debian ships the compiler and the library's source (rust-web-src), but not the library for
# wasm32-unknown-unknown. It is put under the compiler's own folder, so that a plain
# `--target wasm32-unknown-unknown` works for everything that is built afterwards.
set -euo pipefail

bin=$1 # the folder with the distribution's rustc and cargo
target=wasm32-unknown-unknown
sysroot=$("$bin/rustc" --print sysroot)
host=$("$bin/rustc" -vV | sed -n 's/^host: //p')
library=$sysroot/lib/rustlib/$target
version=$("$bin/rustc" -V)

[ "$(cat "$library/built-by" 2>/dev/null)" = "$version" ] && exit 0

if [ ! -d "$sysroot/lib/rustlib/src/rust/library" ]; then
  echo "set-up: the source of Rust's standard library is missing; install it with: apt-get install rust-web-src" >&2
  exit 1
fi
linker=$(command -v wasm-ld-22 || command -v wasm-ld || true)
if [ -z "$linker" ]; then
  echo "set-up: the WebAssembly linker is missing; install it with: apt-get install lld-22" >&2
  exit 1
fi
if [ ! -w "$sysroot/lib/rustlib" ]; then
  echo "set-up: $sysroot/lib/rustlib cannot be written; run once as root: $0 $bin" >&2
  exit 1
fi

echo "set-up: building the wasm32 standard library for $version (about a minute, once)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src"
printf '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2021"\n[lib]\n[workspace]\n' >"$work/Cargo.toml"
printf '#![no_std]\n' >"$work/src/lib.rs"
(
  cd "$work"
  PATH=$bin:$PATH RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$work/target RUSTFLAGS='' \
    "$bin/cargo" build --quiet --release -Zbuild-std=std,panic_abort,proc_macro --target $target
)
mkdir -p "$library/lib" "$sysroot/lib/rustlib/$host/bin"
rm -f "$library"/lib/lib*.rlib
find "$work/target/$target/release/deps" -name 'lib*.rlib' ! -name 'libempty-*' \
  -exec cp {} "$library/lib/" \;
ln -sf "$linker" "$sysroot/lib/rustlib/$host/bin/rust-lld"
echo "$version" >"$library/built-by"
