#!/usr/bin/env bash
# Generates the client of SERVICE (docs or runs) from the file DESCRIPTION into FOLDER and runs the program with it.
# Usage: run.sh SERVICE DESCRIPTION URL FOLDER
set -euo pipefail
service=$1 description=$(realpath "$2") url=$3 folder=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mkdir -p "$folder"
cd "$folder"
{
  # The generator brings the packages that its clients need: httpx, attrs and python-dateutil.
  python3 -m venv venv
  export PATH=$PWD/venv/bin:$PATH
  pip install --quiet openapi-python-client==0.29.0

  openapi-python-client generate --path "$description" --meta none --output-path "quire_$service" --overwrite
  cp "$here/$service.py" .
  python -m compileall -q "quire_$service" "$service.py"
} >&2
python "$service.py" "$url"
