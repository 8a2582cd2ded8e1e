#!/usr/bin/env bash
# Generates messages and stubs from the .proto files into FOLDER and runs the client there.
# Usage: run.sh HOST:PORT FOLDER
# BUF is the command that generates: `npx @bufbuild/buf` unless it is set.
set -euo pipefail
target=$1 folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mkdir -p "$folder"
{
  ${BUF:-npx -y @bufbuild/buf} generate "$here/../../../proto" --template "$here/buf.gen.yaml" -o "$folder"
  cp "$here/go.mod" "$here/main.go" "$folder"
  cd "$folder"
  go mod tidy
  go vet ./...
  go build -o client .
} >&2
./client "$target"
