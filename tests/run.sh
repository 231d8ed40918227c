#!/usr/bin/env bash
# All checks of ferz; `tests/run.sh --help` says what and how.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)

usage() {
    cat <<'HELP'
Usage: tests/run.sh                  all checks: formatting, lints, documentation, tests
       tests/run.sh TESTNAME...      only the tests whose names contain a TESTNAME
       tests/run.sh -- ARGS          only `cargo test --locked ARGS`
       tests/run.sh --env            print the environment of the tests, as in
                                     eval "$(tests/run.sh --env)"
       tests/run.sh --help           this text

The GPU tests run on a software Vulkan adapter: llvmpipe of the system, else of
Debian's or Ubuntu's packages, which are unpacked into target/ without
installing them. Nothing outside the checkout is changed, but for cargo's own
downloads.

Environment:
  FERZ_TEST_GPU=require      the GPU tests fail without an adapter (default)
  FERZ_TEST_GPU=skip         the GPU tests report themselves skipped
  FERZ_TEST_ADAPTER=NAME     the adapter on which the GPU tests must run:
                             llvmpipe (default), SwiftShader (Debian's
                             chromium-common), or a part of the name of an
                             adapter of this machine, whose drivers then remain
                             as they are
  FERZ_TEST_SWIFTSHADER=1    fetch SwiftShader as a second adapter beside
                             llvmpipe
  FERZ_TEST_FETCH=1          fetch adapters even where the system has them

Exit status: 0 passed, 1 a check failed, 2 a wrong option or value.
HELP
}

mode=all
case ${1-} in
    -h | --help)
        usage
        exit 0
        ;;
    --env | --) mode=$1 ;;
    -*)
        printf '%s\n' "tests/run.sh: unknown option $1; see tests/run.sh --help" >&2
        exit 2
        ;;
    ?*) mode=names ;;
esac
if [ "$mode" = --env ] && [ $# -gt 1 ]; then
    printf '%s\n' "tests/run.sh: --env takes no arguments" >&2
    exit 2
fi

# shellcheck source=tests/adapter.sh
. "$root/tests/adapter.sh"
ferz_check_switches

if [ "$mode" = --env ]; then
    ferz_adapter_env
    ferz_print_env
    exit 0
fi

current='start'
SECONDS=0
finish() {
    local status=$?
    if [ "$status" -eq 0 ]; then
        printf 'tests/run.sh: passed in %d s\n' "$SECONDS"
    else
        printf 'tests/run.sh: FAILED in stage "%s" after %d s\n' "$current" "$SECONDS" >&2
        # Above 128 it was a signal.
        [ "$status" -gt 128 ] || status=1
        exit "$status"
    fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# stage NAME COMMAND...
stage() {
    local start=$SECONDS
    current=$1
    shift
    printf '== %s\n' "$current"
    "$@"
    printf '== %s: ok, %d s\n\n' "$current" "$((SECONDS - start))"
}

tools() {
    local tool missing=
    for tool in cargo rustc; do
        command -v "$tool" >/dev/null || missing="$missing $tool"
    done
    if [ -z "$missing" ]; then
        rustc --version
        [ "$mode" = all ] || return 0
        cargo fmt --version || missing="$missing rustfmt"
        cargo clippy --version || missing="$missing clippy"
    fi
    if [ -n "$missing" ]; then
        printf '%s\n' "tests/run.sh: error: missing:$missing" \
            "Install a Rust toolchain with rustup; \`rustup component add rustfmt clippy\` adds the last two." >&2
        return 1
    fi
}

cd "$root"
stage 'tools' tools
case $mode in
    --)
        shift
        stage 'adapter' ferz_adapter_env
        stage 'tests' cargo test --locked "$@"
        ;;
    names)
        stage 'adapter' ferz_adapter_env
        stage 'tests' cargo test --locked -- "$@"
        ;;
    all)
        stage 'formatting' cargo fmt --all --check
        stage 'adapter' ferz_adapter_env
        stage 'lints' cargo clippy --workspace --all-targets --locked -- -D warnings
        stage 'lints, library on the CPU alone' \
            cargo clippy --all-targets --locked --no-default-features -- -D warnings
        stage 'lints, command line on the CPU alone' \
            cargo clippy --all-targets --locked --no-default-features --features cli -- -D warnings
        stage 'documentation' env RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked
        stage 'tests' cargo test --workspace --locked
        stage 'benchmarks, once each' cargo test --locked --bench pieces
        stage 'tests, command line on the CPU alone' \
            cargo test --locked --no-default-features --features cli --test cli -- arguments devices problems
        ;;
esac
