#!/bin/sh
# Compares textbook methods with direct summation and the tree, all that are compiled in and support the device:
# bench/methods.sh BUILD [DEVICE...]. One line for each method, number of bodies and precision, as TSV: method, device,
# n, precision, threads of a block, ms an evaluation, median relative error of the acceleration compared with direct
# summation in extended precision, Gpair/s (n^2 counted). If a method tries several numbers of threads of a block
# (autotune), a line for each follows, without an error: for the kernel only. Variables: METHODS, methods instead of
# all; SIZES_HOST and SIZES_GPU, numbers of bodies of build/bench/direct.
set -eu
build=$1
shift
devices=${*:-cuda opencl cpu}
forces=$("$build/bin/nbsim" --list-forces)

# Methods of a device: the textbook methods, and the default methods of nbsim.
rows_of() {
    echo "$forces" | awk -F'\t' -v device="$1" '
        $2 == device && ($5 ~ /^textbook/ || $1 == "direct" || $1 == "tree") && !seen[$1]++ { print $1 }'
}

has_block() { echo "$forces" | awk -F'\t' -v m="$1" '$1 == m && $2 ~ /(^| )block=/ { found = 1 } END { exit !found }'; }

# How the compiler's own loops were compiled for the instruction set in use.
kernel=$(echo "$forces" | awk -F'\t' '/^#/ { sets = /^# kernel/ } sets && $2 == "yes" { last = $1 } END { print last }')
flags=$(sed -n "s/^\(.*\) [^ ]*-linux-[^ ]* .* \(-O[^ ]*\) .*; $kernel: *\([^;]*[^; ]\).*/\1: \2 \3/p" "$build/build.flags" 2>/dev/null || true)
case " $devices " in *" cpu "*) [ -z "$flags" ] || echo "# naive, openmp, tiled: $flags" ;; esac

printf '# row\tdevice\tn\tprecision\tblock\tms\terror_median\tGpair/s\n'
for device in $devices; do
    sizes=${SIZES_GPU:-2048,4096,8192,16384,20480,32768,65536,131072}
    [ "$device" != cpu ] || sizes=${SIZES_HOST:-2048,4096,8192,16384,20480,32768}
    for row in ${METHODS:-$(rows_of "$device")}; do
        rows_of "$device" | grep -qx "$row" || continue
        force=$row
        if [ "$device" != cpu ] && has_block "$row"; then force=$row:block=autotune; fi
        "$build/bench/direct" --device "$device" --force "$force" --only-n "$sizes" | awk -F'\t' -v row="$row" '
            function line(block, ms, error) {
                printf "%s\t%s\t%s\t%s\t%s\t%.4g\t%s\t%.4g\n", row, $1, $3, $2, block, ms, error, $3 * $3 / ms * 1e-6
            }
            / threads a block are taken$/ { tried = $0; next }
            /^#/ { if ($0 ~ / are free|no memory/) print; next }
            {
                taken = tried
                sub(/ threads a block are taken$/, "", taken)
                sub(/.*; /, "", taken)
                line(tried == "" ? "-" : taken, $4, $6)
                sub(/^[^:]*: /, "", tried)
                sub(/;.*/, "", tried)
                count = split(tried, each, ", ")
                for (k = 1; k <= count; k++)
                    if (split(each[k], part, ": ") == 2 && part[2] ~ / ms$/)
                        line(part[1], part[2] + 0, "-")
                tried = ""
            }'
    done
done
