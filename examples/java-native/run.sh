#!/usr/bin/env bash
# Generates the client of SERVICE (docs or runs) from the file DESCRIPTION into FOLDER and runs the program with it.
# Usage: run.sh SERVICE DESCRIPTION URL FOLDER
set -euo pipefail
service=$1 description=$(realpath "$2") url=$3 folder=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mkdir -p "$folder"
cd "$folder"
{
  ${OPENAPI_GENERATOR:-npx -y @openapitools/openapi-generator-cli} generate -g java --library native -i "$description" -o client
  cp "$here/${service^}.java" .
  mvn -q -f client/pom.xml -Dmaven.test.skip compile dependency:copy-dependencies -DoutputDirectory=target/lib
} >&2
# A program of one file is compiled by `java` itself.
java -cp "client/target/classes:client/target/lib/*" "${service^}.java" "$url"
