#!/bin/sh
# Builds the Rust library and puts it beside the other objects. Called by make, in src/.
#
# Where its sources are: in the repository that ADJOIN_SOURCE names; in the archive that the package carries (r/vendor makes it);
# or in the repository around this folder. ADJOIN_PROFILE is the profile of cargo: release, or dist, which takes longer and gives
# faster code. CARGO_TARGET_DIR is where cargo builds, if it is set.
set -eu

say() { echo "adjoin: $*" >&2; }

PATH="$PATH:$HOME/.cargo/bin"
if ! command -v cargo > /dev/null; then
    say "found no cargo, expected Rust 1.89 or later: install it from https://rustup.rs"
    exit 1
fi

profile=${ADJOIN_PROFILE:-release}
set -- build --lib --profile "$profile"
if [ -n "${ADJOIN_SOURCE:-}" ]; then
    root=$ADJOIN_SOURCE
elif [ -f ../tools/adjoin.tar.xz ]; then
    rm -rf adjoin
    tar xJf ../tools/adjoin.tar.xz
    root=$PWD/adjoin
    set -- "$@" --locked
    # Crates that came along are used, and nothing is fetched.
    [ ! -d adjoin/vendor ] || set -- "$@" --offline --config "$root/vendor.toml"
elif [ -f ../../core/Cargo.toml ]; then
    root=$(cd ../.. && pwd)
else
    say "found no Rust sources, expected the repository around the package, or a package made by r/vendor"
    exit 1
fi

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}"
set -- "$@" --manifest-path "$root/r/src/rust/Cargo.toml"
folder=$profile
[ "$profile" != dev ] || folder=debug
if [ -n "${ADJOIN_TARGET:-}" ]; then
    set -- "$@" --target "$ADJOIN_TARGET"
    folder=$ADJOIN_TARGET/$folder
fi
cargo "$@"
# A link costs no space, where there can be one.
ln -f "$CARGO_TARGET_DIR/$folder/libadjoin_r.a" . 2> /dev/null || cp -f "$CARGO_TARGET_DIR/$folder/libadjoin_r.a" .
rm -rf adjoin
