# Sourced by the scripts and the Makefile's recipes: where the tools are. Nothing here installs anything; see scripts/setup.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build

if ! command -v swift >/dev/null; then
  for folder in /opt/swift/usr/bin "${HOME:-/nonexistent}/.local/share/swiftly/bin"; do
    [ -x "$folder/swift" ] && PATH=$PATH:$folder && break
  done
fi

python_is_usable() { "$1" -c 'import sys, pytest; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; }
node_is_usable() {
  "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 26 || (a === 26 && b >= 1) ? 0 : 1)' 2>/dev/null
}

# A Python of at least 3.10 that has pytest, and a Node of at least 26.1: those of the machine, else those that setup made.
python=python3
python_is_usable "$python" || python=$build/venv/bin/python
node=node
node_is_usable "$node" || node=$build/node26/node

export PATH
export FOLIO_LIBRARY=$build/libfolio.so
