# The examples source this file. It finds the tools ($BIN, else installed ones, else those in build), and makes the
# output directory.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -n "${BIN:-}" ]; then
    PATH=$(cd "$BIN" && pwd):$PATH
elif ! command -v nbsim >/dev/null; then
    PATH=$here/../build/bin:$here/../build/cpu/bin:$PATH
fi
out=${1:-out}
mkdir -p "$out"
