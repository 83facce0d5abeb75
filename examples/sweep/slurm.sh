#!/bin/sh
#SBATCH --job-name=sweep
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --time=1:00:00
#SBATCH --signal=B:TERM@60
#SBATCH --requeue
# Runs the sweep as a Slurm job array, one task for each run, and a job that makes the table at the end; see sweep.sh
#
# usage: slurm.sh [OUT], where sbatch is, not as a job; OUT is a folder that all nodes see. JOBS tasks run at a time.
# If the time was too short, or a task failed, run the same command again to resume: a task gets SIGTERM a minute before
# its end, and writes a checkpoint. On nodes with GPUs add --gres=gpu:1.
set -eu

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then # a task: Slurm runs a copy of this script that lies elsewhere
    exec "$SWEEP" run "$("$SWEEP" list | sed -n "$((SLURM_ARRAY_TASK_ID + 1))p")" "$1"
fi

here=$(cd "$(dirname "$0")" && pwd)
export SWEEP="$here/sweep.sh"
mkdir -p "${1:-out}"
out=$(cd "${1:-out}" && pwd)
last=$(($("$SWEEP" list | wc -l) - 1))
id=$(sbatch --parsable --export=ALL --array="0-$last%${JOBS:-64}" --output="$out/slurm-%a.log" "$0" "$out")
sbatch --export=ALL --dependency="afterany:${id%%;*}" --job-name=table --output="$out/slurm-table.log" \
    --wrap="'$SWEEP' table '$out' && '$SWEEP' picture '$out'"
