# For the tests of packages: PACKAGES is the folder build of the repository, with tarball, deb/ and wheel/ in it.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${PACKAGES:=$here/build}"
version=$(sed -n 's/^#define TOOL_VERSION "\(.*\)".*/\1/p' "$here/tools/common/tool_syntax.h")

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# A root with the smallest set of packages of a Debian, in ./root; the test is skipped where there cannot be one.
clean_root() { # clean_root [SUITE]
    local suite=${1:-bookworm}
    [ "$(id -u)" = 0 ] || skip "not root: no clean root"
    command -v mmdebstrap >/dev/null || skip "no mmdebstrap: no clean root"
    local kept=$PACKAGES/minbase-$suite.tar
    if [ ! -e "$kept" ]; then
        mmdebstrap --mode=root --variant=minbase "$suite" "$kept.new.tar" >&2 || skip "mmdebstrap made no root: no mirror of Debian?"
        mv "$kept.new.tar" "$kept"
    fi
    mkdir root
    tar -C root --numeric-owner -xf "$kept"
    cp /etc/resolv.conf root/etc/resolv.conf
    # How this machine reaches its mirror: proxies, and what it does not check.
    apt-config dump Acquire >root/etc/apt/apt.conf.d/99host
    # Where this machine's way to pip's index has certificates of its own.
    cp "${PIP_CERT:-${SSL_CERT_FILE:-/dev/null}}" root/root/certificates.pem
}

in_root() { # in_root COMMANDS: there, with nothing of this environment
    unshare --mount --pid --fork env -u PIP_CERT sh -ec '
        mount -t proc proc root/proc
        mount --rbind /dev root/dev
        mount --rbind /sys root/sys
        [ ! -s root/root/certificates.pem ] || export PIP_CERT=/root/certificates.pem
        exec env -i ${PIP_CERT:+PIP_CERT=$PIP_CERT} HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot root \
            sh -ec "cd /root; $1"' sh "$1"
}

# Programs with CUDA in them, in a root without its driver: they start and take the CPU; a GPU that is asked for is an error.
without_driver() { # without_driver BINDIR
    ! in_root "$1/nbsim --version | grep -qx 'CUDA      none'" || return 0
    in_root "PATH=$1:\$PATH; nbgen -q plummer -n 100 -o few.nbs
        nbsim --until 0.01 -o cpu.nbs few.nbs 2>said; grep -q ' on CPU, ' said
        nbstat -q --max-de 1e-6 cpu.nbs >/dev/null
        nbsim --device cuda --until 0.01 -o gpu.nbs few.nbs 2>said && exit 1
        grep -qx 'nbsim: device cuda: CUDA driver version is insufficient for CUDA runtime version' said
        nbrender --device cuda --size 32x32 -o gpu.png cpu.nbs 2>/dev/null || exit 0; exit 1"
}

# Pictures that show something: PNG files of the size, with more than a few colours.
pictures() { # pictures WIDTH HEIGHT FILE...
    python3 - "$@" <<'END'
import struct, sys, zlib

width, height = int(sys.argv[1]), int(sys.argv[2])
for name in sys.argv[3:]:
    data, at, packed = open(name, "rb").read(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", name
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            assert struct.unpack(">II", body[:8]) == (width, height), name
        if kind == b"IDAT":
            packed += body
        at += size + 12
    assert len(set(zlib.decompress(packed))) > 32, name
END
}
