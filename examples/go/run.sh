#!/usr/bin/env bash
# Generates the client of SERVICE (docs or runs) from the file DESCRIPTION into FOLDER and runs the program with it.
# Usage: run.sh SERVICE DESCRIPTION URL FOLDER
set -euo pipefail
service=$1 description=$(realpath "$2") url=$3 folder=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mkdir -p "$folder/quire$service"
cd "$folder"
{
  [ -f go.mod ] || go mod init example
  go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.0 \
    -generate types,client -package "quire$service" -o "quire$service/client.gen.go" "$description"
  cp "$here/$service.go" main.go
  go mod tidy
  go vet ./...
  go build -o program .
} >&2
./program "$url"
