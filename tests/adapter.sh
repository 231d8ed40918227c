# shellcheck shell=bash
# Sourced by tests/run.sh: a software Vulkan adapter for the GPU tests, and the
# environment in which they find that adapter and no other.
#
# The caller sets `root` to the top of the checkout. Everything this file writes
# goes to $root/target. Functions set FERZ_EXPORTS, the names of the variables
# that they exported, and FERZ_UNSETS, those that they removed.

: "${root:?the caller sets it}"

FERZ_EXPORTS=()
FERZ_UNSETS=()

# Raised when what lies in target/software-adapter changes its layout.
ferz_layout=1

ferz_note() { printf '%s\n' "tests/adapter.sh: $*" >&2; }

ferz_die() {
    printf '%s\n' "tests/adapter.sh: error: $*" >&2
    exit 1
}

# ferz_export NAME VALUE
ferz_export() {
    export "$1=$2"
    FERZ_EXPORTS+=("$1")
}

# ferz_unset NAME...
ferz_unset() {
    unset "$@"
    FERZ_UNSETS+=("$@")
}

# Prints FERZ_UNSETS and FERZ_EXPORTS as commands of a POSIX shell.
ferz_print_env() {
    local name value
    for name in ${FERZ_UNSETS[@]+"${FERZ_UNSETS[@]}"}; do
        printf 'unset %s\n' "$name"
    done
    for name in "${FERZ_EXPORTS[@]}"; do
        value=${!name}
        printf "export %s='%s'\n" "$name" "${value//\'/\'\\\'\'}"
    done
}

# What to do on a system where no adapter can be fetched.
ferz_hint() {
    cat >&2 <<'HINT'
The GPU tests need a software Vulkan adapter and the Vulkan loader:
  Debian, Ubuntu  apt-get install mesa-vulkan-drivers libvulkan1
  Fedora          dnf install mesa-vulkan-drivers vulkan-loader
  Arch            pacman -S vulkan-swrast vulkan-icd-loader
  openSUSE        zypper install libvulkan_lvp libvulkan1
  Alpine          apk add mesa-vulkan-swrast vulkan-loader
  macOS, Windows  there is none to install
FERZ_TEST_ADAPTER=NAME runs them on an adapter of this machine whose name
contains NAME; FERZ_TEST_GPU=skip leaves them out.
HINT
}

# ferz_loads LIBRARY: whether the dynamic linker can load LIBRARY (a path or a
# bare name) with all it depends on.
#
# LD_PRELOAD splits its value at spaces, so only the bare name goes in there.
ferz_loads() {
    local path=${LD_LIBRARY_PATH:-} said
    case $1 in
        */*) path=${1%/*}${path:+:$path} ;;
    esac
    said=$(LC_ALL=C LD_LIBRARY_PATH=$path LD_PRELOAD=${1##*/} env true 2>&1) || return 1
    [ -z "$said" ]
}

# ferz_icd_field FILE KEY: a string of a driver's JSON file.
ferz_icd_field() {
    sed -n 's/.*"'"$2"'"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$1" | head -n 1
}

# ferz_icd_library FILE: the library that a driver's JSON file names.
ferz_icd_library() {
    local library
    library=$(ferz_icd_field "$1" library_path)
    case $library in
        '') return 1 ;;
        /*) ;;
        */*) library=${1%/*}/$library ;;
    esac
    printf '%s\n' "$library"
}

# ferz_system_icd PATTERN...: the first JSON file of those whose driver loads.
ferz_system_icd() {
    local dirs dir pattern file library
    [ "${FERZ_TEST_FETCH:-0}" = 1 ] && return 1
    ferz_loads libvulkan.so.1 || return 1
    dirs=/etc:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}:/usr/local/share:/usr/share
    dirs=$dirs:/run/opengl-driver/share
    local IFS=:
    for dir in $dirs; do
        for pattern in "$@"; do
            for file in "$dir"/vulkan/icd.d/$pattern; do
                [ -r "$file" ] || continue
                library=$(ferz_icd_library "$file") || continue
                ferz_loads "$library" || continue
                printf '%s\n' "$file"
                return 0
            done
        done
    done
    return 1
}

# ferz_chromium_icd: SwiftShader of an installed Chromium.
ferz_chromium_icd() {
    local dir
    [ "${FERZ_TEST_FETCH:-0}" = 1 ] && return 1
    for dir in /usr/lib/chromium /usr/lib64/chromium-browser /usr/lib64/chromium; do
        [ -r "$dir/vk_swiftshader_icd.json" ] || continue
        ferz_loads "$dir/libvk_swiftshader.so" || continue
        printf '%s\n' "$dir/vk_swiftshader_icd.json"
        return 0
    done
    return 1
}

# ferz_apt STATE PROGRAM ARGS...: an apt program that keeps its state in the
# folder STATE, and its package lists too once there is a folder of them.
#
# The configuration goes through a file, after the system's own, because only so
# can it clear the hooks that act on the system's caches.
ferz_apt() {
    local state=$1 program=$2
    shift 2
    mkdir -p "$state/cache/archives/partial" "$state/log" "$state/tmp"
    {
        printf '%s\n' \
            '#clear APT::Update::Pre-Invoke;' \
            '#clear APT::Update::Post-Invoke;' \
            '#clear APT::Update::Post-Invoke-Success;' \
            '#clear DPkg::Pre-Invoke;' \
            '#clear DPkg::Post-Invoke;' \
            '#clear DPkg::Pre-Install-Pkgs;' \
            'Acquire::Retries "3";' \
            'Acquire::Languages "none";' \
            'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";' \
            'Acquire::IndexTargets::deb::DEP-11-icons-small::DefaultEnabled "false";' \
            'Acquire::IndexTargets::deb::DEP-11-icons::DefaultEnabled "false";' \
            'Acquire::IndexTargets::deb::CNF::DefaultEnabled "false";' \
            'Dpkg::Use-Pty "false";'
        printf 'Dir::Cache "%s/cache";\nDir::Log "%s/log";\n' "$state" "$state"
        if [ -d "$state/lists" ]; then
            printf 'Dir::State::Lists "%s/lists";\n' "$state"
        fi
        # The user to whom root hands downloads may not enter the checkout.
        if [ "$(id -u)" = 0 ]; then
            printf 'APT::Sandbox::User "root";\n'
        fi
    } >"$state/apt.conf"
    TMPDIR=$state/tmp LC_ALL=C DEBIAN_FRONTEND=noninteractive \
        "$program" -c "$state/apt.conf" -q "$@" </dev/null
}

# ferz_apt_plan STATE PACKAGE...: PACKAGEs and those they need that are not
# installed.
#
# The C library stays out: the one of the system has started the process.
ferz_apt_plan() {
    local state=$1 plan
    shift
    plan=$(ferz_apt "$state" apt-get install --simulate --no-install-recommends "$@") || return 1
    {
        printf '%s\n' "$@"
        sed -n 's/^Inst \([^ ]*\) .*/\1/p' <<<"$plan"
    } | grep -vxE '(libc6|libc-bin|libc-l10n|locales|libc6-dev|libc-dev-bin)(:.*)?' | sort -u
}

# ferz_apt_download STATE DIR PACKAGE...: the .deb files of PACKAGEs, with all
# they need where ferz_resolve=1, in DIR.
ferz_apt_download() {
    local state=$1 dir=$2 plan package
    local wanted=()
    shift 2
    if [ "$ferz_resolve" = 1 ]; then
        plan=$(ferz_apt_plan "$state" "$@") || return 1
    else
        plan=$(printf '%s\n' "$@")
    fi
    while IFS= read -r package; do
        wanted+=("$package")
    done <<<"$plan"
    printf 'wanted: %s\n' "${wanted[*]}"
    rm -rf "$dir" && mkdir -p "$dir" || return 1
    (cd "$dir" && ferz_apt "$state" apt-get download "${wanted[@]}") || return 1
}

# ferz_fetch NAME LIBRARY JSON RESOLVE PACKAGE...: puts the driver LIBRARY out of
# PACKAGEs, the loader and what they need into target/software-adapter/NAME/lib,
# and the driver's file JSON (a pattern) beside it as driver.json; unless that has
# been done and the driver still loads.
#
# Runs in a subshell that holds a lock, so that two runs at once fetch once. Call
# it as a plain command: in a condition `set -e` would not hold inside.
ferz_fetch() (
    name=$1 library=$2 json=$3 ferz_resolve=$4
    shift 4
    home=$ferz_home/$name
    part=$ferz_home/$name.part
    stamp="layout $ferz_layout $(uname -m)"
    mkdir -p "$ferz_home"
    exec 9>"$ferz_home/lock"
    if command -v flock >/dev/null; then
        flock 9
    fi

    if [ -r "$home/stamp" ] && [ "$(cat "$home/stamp")" = "$stamp" ]; then
        if ferz_fetched_loads "$home" "$library"; then
            exit 0
        fi
        ferz_note "$name in target/software-adapter does not load any more, fetching it again"
    fi
    for program in apt-get dpkg-deb; do
        if ! command -v "$program" >/dev/null; then
            ferz_note "error: no usable software Vulkan adapter, and no $program to fetch one"
            ferz_hint
            exit 1
        fi
    done
    case $ferz_home in
        *[:\;\"\\]*)
            ferz_die "the checkout's path has one of : ; \" \\ in it, with which the dynamic linker or apt cannot use it: $root"
            ;;
    esac

    ferz_note "fetching a software adapter ($name) into target/software-adapter"
    rm -rf "$part"
    mkdir -p "$part/unpacked"
    # First with the lists of the system. They may be missing, or too old to say
    # where the packages are; then with lists of its own.
    if ! ferz_apt_download "$part/apt" "$part/debs" "$@" >"$part/log" 2>&1; then
        ferz_note "fetching package lists"
        mkdir -p "$part/apt/lists/partial"
        # A source that fails is not fatal: what counts is whether the packages
        # are known after it.
        ferz_apt "$part/apt" apt-get update >>"$part/log" 2>&1 || true
        if ! ferz_apt_download "$part/apt" "$part/debs" "$@" >>"$part/log" 2>&1; then
            cat "$part/log" >&2
            ferz_note "error: apt could not fetch $*"
            ferz_hint
            exit 1
        fi
    fi
    for deb in "$part"/debs/*.deb; do
        dpkg-deb -x "$deb" "$part/unpacked"
    done
    ferz_collect "$part" "$library" "$json"
    if ! ferz_fetched_loads "$part" "$library"; then
        cat "$part/log" >&2
        ferz_note "error: the driver that was fetched does not load:"
        LD_LIBRARY_PATH=$part/lib ldd "$part/lib/$library" 2>&1 | grep 'not found' >&2 || true
        ferz_hint
        exit 1
    fi
    rm -rf "$part/apt" "$part/debs" "$part/unpacked" "$part/log" "$home"
    printf '%s\n' "$stamp" >"$part/stamp"
    mv "$part" "$home"
)

# ferz_collect PART LIBRARY JSON: moves LIBRARY, the loader and those libraries
# in PART/unpacked that they need to PART/lib, JSON to PART/driver.json.
#
# No others: LD_LIBRARY_PATH will hold this folder for cargo as well.
ferz_collect() {
    local part=$1 driver loader triplet dirs soname file
    driver=$(find "$part/unpacked" -name "$2" | sort | head -n 1)
    loader=$(find "$part/unpacked" -name libvulkan.so.1 | sort | head -n 1)
    if [ -z "$driver" ] || [ -z "$loader" ]; then
        ferz_die "the packages that were fetched do not have $2 and libvulkan.so.1"
    fi
    triplet=${loader%/*}
    triplet=${triplet##*/}
    dirs=$(find "$part/unpacked" -type d -path "*/lib/$triplet" | sort | paste -s -d : -)
    mkdir "$part/lib"
    cp -L "$driver" "$part/lib/$2"
    cp -L "$loader" "$part/lib/libvulkan.so.1"
    # Lines of ldd: "\tSONAME => FILE (ADDRESS)". Its failure shows when the driver
    # is loaded after this.
    { LD_LIBRARY_PATH=$dirs ldd "$driver" "$loader" || true; } |
        sed -n 's/^\t\([^ ]*\) => \(.*\) (0x[0-9a-f]*)$/\1 \2/p' |
        while read -r soname file; do
            case $file in
                "$part/unpacked/"*) cp -L "$file" "$part/lib/$soname" ;;
            esac
        done
    find "$part/unpacked" -name "$3" -exec cp {} "$part/driver.json" \;
}

# ferz_fetched_loads HOME LIBRARY: whether LIBRARY and the loader in HOME load.
ferz_fetched_loads() {
    local library
    for library in "$2" libvulkan.so.1; do
        [ -r "$1/lib/$library" ] || return 1
        LD_LIBRARY_PATH=$1/lib ferz_loads "$1/lib/$library" || return 1
    done
}

# ferz_write_icd HOME LIBRARY: writes the JSON file of the driver in HOME, with
# the absolute path of its library, and prints its path.
#
# Written anew each time: the checkout may have moved.
ferz_write_icd() {
    local version=
    if [ -r "$1/driver.json" ]; then
        version=$(ferz_icd_field "$1/driver.json" api_version)
    fi
    cat >"$1/icd.json.$$" <<JSON
{
    "file_format_version": "1.0.0",
    "ICD": {
        "library_path": "$1/lib/$2",
        "api_version": "${version:-1.1.0}"
    }
}
JSON
    mv "$1/icd.json.$$" "$1/icd.json"
    printf '%s\n' "$1/icd.json"
}

# ferz_prepend_libraries DIR: puts DIR in front of LD_LIBRARY_PATH once.
ferz_prepend_libraries() {
    case ":${LD_LIBRARY_PATH:-}:" in
        *":$1:"*) ferz_export LD_LIBRARY_PATH "$LD_LIBRARY_PATH" ;;
        *) ferz_export LD_LIBRARY_PATH "$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;
    esac
}

# ferz_mesa: sets ferz_icd to llvmpipe's JSON file.
ferz_mesa() {
    local arch
    arch=$(uname -m)
    if ferz_icd=$(ferz_system_icd "lvp_icd.$arch.json" lvp_icd.json 'lvp_icd*.json'); then
        ferz_note "llvmpipe of the system: $ferz_icd"
        return
    fi
    ferz_fetch mesa libvulkan_lvp.so 'lvp_icd*.json' 1 mesa-vulkan-drivers libvulkan1
    ferz_icd=$(ferz_write_icd "$ferz_home/mesa" libvulkan_lvp.so)
    ferz_prepend_libraries "$ferz_home/mesa/lib"
    ferz_note "llvmpipe in target/software-adapter"
}

# ferz_radv: exports FERZ_RADV_ICD, the JSON file of Mesa's driver for AMD, which
# compiles kernels without a card. Where there is none, the tests that need it are
# skipped, as no count depends on them.
ferz_radv() {
    local icd
    if ! icd=$(ferz_system_icd "radeon_icd.$(uname -m).json" 'radeon_icd*.json'); then
        if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
            ferz_note "no Vulkan driver for AMD: tests of kernel-cost that need it report themselves skipped"
            return
        fi
        ferz_fetch radv libvulkan_radeon.so 'radeon_icd*.json' 1 mesa-vulkan-drivers libvulkan1
        icd=$(ferz_write_icd "$ferz_home/radv" libvulkan_radeon.so)
        ferz_loads libvulkan.so.1 || ferz_prepend_libraries "$ferz_home/radv/lib"
    fi
    ferz_export FERZ_RADV_ICD "$icd"
}

# ferz_swiftshader: sets ferz_icd to SwiftShader's JSON file.
ferz_swiftshader() {
    if ferz_loads libvulkan.so.1 && ferz_icd=$(ferz_chromium_icd); then
        ferz_note "SwiftShader of the system: $ferz_icd"
        return
    fi
    # Without what chromium-common depends on, which is a browser.
    ferz_fetch swiftshader libvk_swiftshader.so vk_swiftshader_icd.json 0 chromium-common libvulkan1
    ferz_icd=$(ferz_write_icd "$ferz_home/swiftshader" libvk_swiftshader.so)
    if [ "${FERZ_TEST_FETCH:-0}" = 1 ] || ! ferz_loads libvulkan.so.1; then
        ferz_prepend_libraries "$ferz_home/swiftshader/lib"
    fi
    ferz_note "SwiftShader in target/software-adapter"
}

# ferz_check_switches: exits with 2 if a switch has a value that it cannot have.
ferz_check_switches() {
    local name
    case ${FERZ_TEST_GPU:=require} in
        require | skip) ;;
        *)
            printf '%s\n' "tests/run.sh: FERZ_TEST_GPU is '$FERZ_TEST_GPU', not require or skip" >&2
            exit 2
            ;;
    esac
    for name in FERZ_TEST_SWIFTSHADER FERZ_TEST_FETCH; do
        case ${!name:-0} in
            0 | 1) ;;
            *)
                printf '%s\n' "tests/run.sh: $name is '${!name}', not 0 or 1" >&2
                exit 2
                ;;
        esac
    done
}

# ferz_adapter_env: finds or fetches the adapter and exports the environment.
ferz_adapter_env() {
    local icds=
    ferz_home=$root/target/software-adapter
    mkdir -p "$root/target/tmp" "$root/target/shader-cache"
    ferz_export FERZ_TEST_GPU "$FERZ_TEST_GPU"
    ferz_export TMPDIR "$root/target/tmp"
    ferz_export MESA_SHADER_CACHE_DIR "$root/target/shader-cache"
    ferz_export MESA_GLSL_CACHE_DIR "$root/target/shader-cache"
    # Mesa's device-select layer complains on stderr; old validation layers
    # reject every shader.
    ferz_export NODEVICE_SELECT 1
    ferz_export WGPU_VALIDATION 0

    if [ "$FERZ_TEST_GPU" = skip ]; then
        ferz_note "FERZ_TEST_GPU=skip: the GPU tests report themselves skipped"
        return
    fi
    case ${FERZ_TEST_ADAPTER:=llvmpipe} in
        llvmpipe | [Ss]wift[Ss]hader) ;;
        *)
            ferz_note "the GPU tests run on the adapter of this machine called '$FERZ_TEST_ADAPTER'"
            ferz_export FERZ_TEST_ADAPTER "$FERZ_TEST_ADAPTER"
            return
            ;;
    esac
    if [ "$(uname -s)" != Linux ]; then
        ferz_note "error: no software Vulkan adapter is known for $(uname -s)"
        ferz_hint
        exit 1
    fi

    if [ "$FERZ_TEST_ADAPTER" = llvmpipe ]; then
        ferz_mesa
        icds=$ferz_icd
    else
        FERZ_TEST_ADAPTER=SwiftShader
    fi
    if [ "$FERZ_TEST_ADAPTER" = SwiftShader ] || [ "${FERZ_TEST_SWIFTSHADER:-0}" = 1 ]; then
        ferz_swiftshader
        icds=${icds:+$icds:}$ferz_icd
    fi
    ferz_export FERZ_TEST_ADAPTER "$FERZ_TEST_ADAPTER"
    # The second name is the one that loaders before 1.3.207 know.
    ferz_export VK_DRIVER_FILES "$icds"
    ferz_export VK_ICD_FILENAMES "$icds"
    ferz_unset VK_ADD_DRIVER_FILES VK_LOADER_DRIVERS_SELECT VK_LOADER_DRIVERS_DISABLE
    ferz_radv
}
