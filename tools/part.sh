#!/bin/sh
# Runs one part of the tests and turns the counts it prints into build/results/PART.
# A part is tools/test-PART.sh; it prints "N passed, N failed, N skipped".
set -u
cd "$(dirname "$0")/.." || exit 1
part=$1
result=build/results/$part
log=build/logs/$part.log
mkdir -p build/results build/logs
rm -f "$result" "$log"

echo "== $part"
{
  tools/need.sh "$part" && "tools/test-$part.sh"
  echo $? >"$log.status"
} 2>&1 | tee "$log"
status=$(cat "$log.status")

number='\([0-9][0-9]*\)'
counts=$(sed -n "s/^$number passed, $number failed, $number skipped\$/\1 \2 \3/p" "$log" | tail -n 1)
set -- ${counts:-0 1 0}
passed=$1 failed=$2 skipped=$3
# A part that dies after it counted, or that neither ran nor skipped anything, has failed.
if [ "$failed" = 0 ] && { [ "$status" != 0 ] || [ $((passed + skipped)) = 0 ]; }; then
  echo "$part: exit status $status after $passed passed tests"
  failed=1
fi
echo "$passed $failed $skipped" >"$result"
echo "$part: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
