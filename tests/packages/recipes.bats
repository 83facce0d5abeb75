#!/usr/bin/env bats
# The recipes of other package systems: makepkg, rattler-build, Homebrew, and container images.
bats_require_minimum_version 1.5.0
load packages

# The tarball in a separate folder, under ./nbtools-VERSION.
unpack() {
    tar -xzf "$PACKAGES/nbtools-$version.tar.gz"
}

@test "the Homebrew formula is Ruby, and names this version" {
    grep -q "nbtools-$version.tar.gz" "$here/packaging/homebrew/nbtools.rb"
    grep -q UNTESTED "$here/packaging/homebrew/nbtools.rb"
    command -v ruby >/dev/null || skip "no ruby"
    [ "$(ruby -c "$here/packaging/homebrew/nbtools.rb")" = "Syntax OK" ]
}

@test "rattler-build reads the conda recipe for each platform; without its requirements it builds here, and its test passes" {
    python3 -m venv env
    env/bin/pip install -q --disable-pip-version-check py-rattler-build >&2 || skip "pip gets no py-rattler-build: no index?"
    unpack
    for platform in noarch linux-64; do # a channel without packages: the compiler and libraries are this machine's
        mkdir -p "channel/$platform"
        echo '{"info": {"subdir": "'$platform'"}, "packages": {}, "packages.conda": {}}' >"channel/$platform/repodata.json"
    done
    env/bin/python - "nbtools-$version/packaging/conda/recipe.yaml" "$version" <<'END' >&2
import re, sys
from pathlib import Path
import rattler_build as rattler

path, version = Path(sys.argv[1]), sys.argv[2]
variants = rattler.VariantConfig({"c_compiler": ["gcc"], "c_stdlib": ["sysroot"]})
for name in "linux-64", "linux-aarch64", "osx-arm64":
    platform = rattler.PlatformConfig(target_platform=name, build_platform=name, host_platform=name)
    (rendered,) = rattler.Stage0Recipe.from_file(path).render(variants, rattler.RenderConfig(platform=platform))
    recipe = rendered.recipe
    assert (recipe.package.name, str(recipe.package.version)) == ("nbtools", version)
    needed = recipe.requirements.to_dict()
    assert f"gcc_{name}" in needed["build"] and "gsl" in needed["host"] and needed["run"] == ["ffmpeg"], needed
    assert ("llvm-openmp" in needed["host"]) == name.startswith("osx")
path.write_text(re.sub(r"(?ms)^requirements:\n.*?(?=^\w)", "", path.read_text()))
channels = [Path("channel").absolute().as_uri()]
(built,) = rattler.Stage0Recipe.from_file(path).run_build(output_dir=Path("out").absolute(), channels=channels)
(result,) = rattler.Package.from_file(built.packages[0]).run_tests(channel=channels)
assert result.success, "\n".join(result.output)
END
}

@test "makepkg builds the PKGBUILD; the package has programs, pages, examples and terms, and its programs run" {
    [ "$(id -u)" = 0 ] || skip "not root: makepkg is run as nobody"
    command -v makepkg >/dev/null || skip "no makepkg"
    cp "$here/packaging/arch/PKGBUILD" "$PACKAGES/nbtools-$version.tar.gz" .
    mkdir home
    chown -R nobody .
    chmod a+x "$BATS_RUN_TMPDIR" "$(dirname "$PWD")" . # nobody has to get here
    # Without dependencies: pacman's database is empty here.
    setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$PWD/home" makepkg --nodeps --nocolor >&2
    package=$(echo "$PWD/nbtools-$version-1-$(uname -m).pkg".tar*)
    pacman -Qip "$package" | grep -qx 'Depends On *: fontconfig  freetype2  glibc  gsl  hdf5  zlib'
    mkdir tree
    bsdtar -C tree -xf "$package"
    for file in share/licenses/nbtools/LICENSE share/doc/nbtools/examples/merger.sh share/man/man1/nbsim.1.gz share/man/man5/nbs.5.gz; do
        [ -s "tree/usr/$file" ]
    done
    PATH=$PWD/tree/usr/bin:$PATH
    nbgen galaxy -n 500 -q | nbsim -q --until 0.2 --every 0.1 | nbstat -q --max-de 1e-3 >&2
}

# An image of the Dockerfile, from minimal roots of Debian 13 in place of the images that it names: the image nbtools.
image() { # image TARGET [OPTION OF BUILDAH]...
    local base target=$1
    shift
    command -v buildah >/dev/null || skip "no buildah"
    clean_root trixie
    export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
    buildah() { command buildah --root "$BATS_TEST_TMPDIR/storage" --runroot "$BATS_TEST_TMPDIR/run" "$@"; }
    base=$(buildah from scratch)
    buildah add -q "$base" root / >&2
    buildah commit -q "$base" base >&2
    mkdir context
    cp "$PACKAGES/nbtools-$version.tar.gz" context
    buildah build -q -f "$here/packaging/Dockerfile" "$@" --target "$target" -t nbtools context >&2
    container=$(buildah from nbtools)
    buildah run "$container" -- sh -ec 'nbgen galaxy -n 500 | nbsim --until 0.2 --every 0.1 | nbrender --title t --size 320x180 -o f.mp4; test -s f.mp4' >&2
}

@test "buildah builds the image for the CPU from a minimal root, and a pipeline runs in it" {
    image cpu --build-arg CPU=localhost/base
    buildah run "$container" -- nbsim --version | grep -qx "CUDA      none"
    rm -rf storage run
}

@test "buildah builds the image with CUDA, of this machine's nvcc; without a driver a pipeline runs in it on the CPU" {
    [ "${CUDA:-1}" != 0 ] || skip "CUDA=0"
    [ -x /usr/local/cuda/bin/nvcc ] || skip "no /usr/local/cuda/bin/nvcc"
    image cuda --build-arg CUDA=localhost/base --build-arg CUDA_RUN=localhost/base -v /usr/local/cuda:/usr/local/cuda:ro \
        ${NVCC_ARCH:+--build-arg NVCC_ARCH="$NVCC_ARCH"}
    buildah run "$container" -- nbsim --version | grep -qx "CUDA      [0-9.]*"
    run buildah run "$container" -- sh -c 'nbgen -q plummer -n 100 | nbsim --device cuda --until 0.1 -o x.nbs'
    [[ "$output" == *"nbsim: device cuda: CUDA driver version is insufficient for CUDA runtime version"* ]]
    # The image has programs only: not nvcc, nor CUDA's libraries.
    buildah run "$container" -- sh -c '[ ! -e /usr/local/cuda/bin ] && [ -z "$(find / -xdev -name "libcudart*")" ]'
    rm -rf storage run
}
