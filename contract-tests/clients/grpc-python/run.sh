#!/usr/bin/env bash
# Generates messages and stubs from the .proto files into FOLDER and runs the client there.
# Usage: run.sh HOST:PORT FOLDER
set -euo pipefail
target=$1 folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
proto=$(cd "$here/../../../proto" && pwd)

mkdir -p "$folder"
cd "$folder"
{
  python3 -m venv venv
  export PATH=$PWD/venv/bin:$PATH
  pip install --quiet grpcio-tools==1.85.1
  (cd "$proto" && find quire/docs -name '*.proto') | xargs python -m grpc_tools.protoc -I "$proto" --python_out=. --grpc_python_out=.
  cp "$here/client.py" .
} >&2
python client.py "$target"
