#!/bin/sh
# Runs the named parts, whatever fails, and sums their counts.
set -u
cd "$(dirname "$0")/.." || exit 1
mkdir -p build/logs
for part; do rm -f "build/results/$part"; done
tools/need.sh "$@" || true # a part that lacks something fails by itself

# The sanitizers take as long as several other parts and use one core, so they run beside those up
# to `faults`, whose processes want the machine to themselves.
beside=
for part; do
  [ "$part" != sanitize ] || beside=$part
done
if [ -n "$beside" ]; then
  tools/part.sh $beside >build/logs/beside.log 2>&1 &
  trap 'kill $! 2>/dev/null' INT TERM
fi
join() {
  [ -z "$beside" ] || { wait; cat build/logs/beside.log; echo; }
  beside=
}
for part; do
  case $part in
    sanitize) continue ;;
    faults | check) join ;;
  esac
  tools/part.sh "$part"
  echo
done
join

all_passed=0 all_failed=0 all_skipped=0
printf '%-10s %8s %8s %8s\n' part passed failed skipped
for part; do
  read -r passed failed skipped 2>/dev/null <"build/results/$part" || { passed=0 failed=1 skipped=0; }
  printf '%-10s %8d %8d %8d\n' "$part" "$passed" "$failed" "$skipped"
  all_passed=$((all_passed + passed))
  all_failed=$((all_failed + failed))
  all_skipped=$((all_skipped + skipped))
done
echo
echo "$all_passed passed, $all_failed failed, $all_skipped skipped" | tee build/results/all
[ "$all_failed" = 0 ] && [ "$all_passed" -gt 0 ]
