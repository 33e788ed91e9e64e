#!/bin/sh
#SBATCH --job-name=bayesgap
#SBATCH --array=1-4
#SBATCH --time=30
#SBATCH --mem=1G
#SBATCH --output=job-%A-%a.log
# In the folder with oven.bgap and todo.csv:
#   while Rscript ask.R; do sbatch --wait array.sh; Rscript tell.R failed; done
exec Rscript pull.R "$SLURM_ARRAY_TASK_ID"
