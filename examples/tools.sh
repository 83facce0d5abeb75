# Read by the examples: finds the tools ($BIN, else installed ones, else what was built here), makes the output directory.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -n "${BIN:-}" ]; then
    PATH=$(cd "$BIN" && pwd):$PATH
elif ! command -v nbsim >/dev/null; then
    PATH=$here/../build/bin:$here/../build/cpu/bin:$PATH
fi
out=${1:-out}
mkdir -p "$out"

# energy_error FILE [OPTION...]: the largest energy error of a run, against its first frame.
energy_error() {
    nbstat "$@" | awk -F'\t' '
        NR == 1 { for (k = 1; k <= NF; k++) if ($k == "energy_error") column = k; next }
        $column ^ 2 > worst ^ 2 { worst = $column }
        END { printf "largest relative error of the energy: %.1e\n", worst }'
}
