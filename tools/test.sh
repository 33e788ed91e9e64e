#!/bin/sh
# Runs the named parts one after the other, whatever fails, and sums their counts.
set -u
cd "$(dirname "$0")/.." || exit 1
for part; do rm -f "build/results/$part"; done
for part; do
  tools/part.sh "$part"
  echo
done

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
