#!/bin/sh
# Runs a command on a SLURM of one node, made for it in a scratch folder and stopped when it ends.
# Nothing of the machine's own SLURM or munge is read or written, and no rights are needed.
# Exit status 77: this machine has no SLURM.
set -eu
PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch; do
  if ! command -v $program >/dev/null; then
    echo "There is no $program here." >&2
    exit 77
  fi
done
dir=$(mktemp -d)
chmod 711 "$dir" # munged wants its socket to be reachable
conf=$dir/slurm.conf
node=$(uname -n | cut -d. -f1)

# Whatever is started here, and whatever that starts, is known by its environment.
on_cluster() { SLURM_CONF=$conf TMPDIR=$dir USER=$(id -un) exec "$@"; }
started() { grep -lzxF "SLURM_CONF=$conf" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3; }

# await SECONDS COMMAND...: until the command says yes, but no longer.
await() {
  tries=$(($1 * 10))
  shift
  for try in $(seq $tries); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  return 1
}
none_left() { [ -z "$(started)" ]; }
stop() {
  trap '' INT TERM HUP
  for signal in TERM KILL; do
    for pid in $(started); do kill -s $signal "$pid" 2>/dev/null || true; done
    if await 5 none_left; then break; fi
  done
  rm -rf "$dir"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
fail() {
  echo "SLURM does not start: $1" >&2
  for log in "$dir"/*.log; do
    echo "== $log"
    tail -n 20 "$log"
  done >&2
  exit 1
}

set_up() {
  mkdir "$dir/state" "$dir/spool"
  (umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
  set -- $(Rscript -e 'p <- parallelly::freePort(); cat(p, parallelly::freePort(setdiff(2e4:6e4, p)))')
  cat >"$conf" <<END
ClusterName=bayesgap
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$2
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=6 RealMemory=2000
PartitionName=main Nodes=$node Default=YES
END
}
set_up

(on_cluster munged -F --key-file="$dir/munge.key" --socket="$dir/munge.socket" \
  --pid-file="$dir/munged.pid" --seed-file="$dir/munged.seed" >"$dir/munged.log" 2>&1) &
await 60 test -S "$dir/munge.socket" || fail "munged does not answer"
for daemon in slurmctld slurmd; do
  (on_cluster $daemon -D >"$dir/$daemon.log" 2>&1) &
done
is_idle() { (on_cluster sinfo --noheader --states=idle --format=%n) | grep -q .; }
await 60 is_idle || fail "the node is not ready"

# In the background, so that a signal is not kept waiting until it ends.
(on_cluster "$@") &
wait $!
