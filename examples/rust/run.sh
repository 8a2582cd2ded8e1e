#!/usr/bin/env bash
# Generates the client of SERVICE (docs or runs) from the file DESCRIPTION into FOLDER and runs the program with it.
# Usage: run.sh SERVICE DESCRIPTION URL FOLDER
set -euo pipefail
service=$1 description=$(realpath "$2") url=$3 folder=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mkdir -p "$folder/src"
cd "$folder"
{
  ${OPENAPI_GENERATOR:-npx -y @openapitools/openapi-generator-cli} generate -g rust -i "$description" -o client
  cp "$here/Cargo.toml" .
  cp "$here/$service.rs" src/main.rs
  cargo build
} >&2
cargo run --quiet -- "$url"
