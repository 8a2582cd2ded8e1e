#!/bin/sh
# Lets Schemathesis loose on both services, with and without authentication; see contract-tests/README.md.
# In a network namespace of its own: what it makes the services call is on this machine, or nowhere.
set -eu
cd "$(dirname "$0")/../.."
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec unshare --map-root-user --net sh -c 'ip link set lo up && exec node contract-tests/schemathesis/main.ts "$@"' sh "$@"
