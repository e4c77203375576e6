#!/usr/bin/env bash
# Run the tests on every supported Python that is installed: on PATH, or kept by pyenv. Arguments go to pytest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

find_python() {  # the newest interpreter of a version, or nothing
    local kept
    for kept in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        if "$kept" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
            echo "$kept"
            return
        fi
    done
}

ran=0
failed=()
for version in 3.11 3.12 3.13; do
    python="$(find_python "$version")"
    if [ -z "$python" ]; then
        echo "== Python $version is not here: skipped"
        continue
    fi
    echo "== Python $version"
    ran=$((ran + 1))
    "$python" -m venv "$work/$version"
    "$work/$version/bin/pip" install -q -e '.[test]'
    "$work/$version/bin/python" -m pytest -n "${WORKERS:-2}" "$@" || failed+=("$version")
done

if [ "$ran" = 0 ] || [ "${#failed[@]}" != 0 ]; then
    echo "== failed: ${failed[*]:-no Python to run on}"
    exit 1
fi
echo "== passed on $ran versions"
