# SPDX-License-Identifier: MIT
# For tests that are scripts: counts checks, and reports them to run-tests. Use:
#
#   source .../tests/support/checks.sh
#   pass; fail WHY; skip WHY     one check each
#   finish NAME                  ends the script; with GTEST_OUTPUT=xml:FOLDER/ the counts go there as well
passed=0
failed=0
skips=()

pass() { passed=$((passed + 1)); }

fail() {
  failed=$((failed + 1))
  echo "FAILED: $*" >&2
}

skip() {
  skips+=("$1")
  echo "skipped: $1"
}

finish() {
  local folder reason
  if [[ ${GTEST_OUTPUT:-} == xml:*/ ]]; then
    folder=${GTEST_OUTPUT#xml:}
    mkdir -p "$folder"
    {
      printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="%d" failures="%d" name="%s">\n' \
        $((passed + failed + ${#skips[@]})) "$failed" "$1"
      for reason in "${skips[@]}"; do
        printf '<testcase result="skipped">\n<skipped message="checks.sh&#x0A;%s&#x0A;"/>\n</testcase>\n' "$reason"
      done
      printf '</testsuites>\n'
    } > "${folder}test_$1.xml"
  fi
  echo "$passed passed, $failed failed, ${#skips[@]} skipped"
  [[ $failed -eq 0 && $((passed + ${#skips[@]})) -gt 0 ]]
  exit
}
