"""A gRPC client in Python that adds, gets, updates, searches, streams and watches.

Usage: grpc_client.py HOST:PORT
Ends with 0 when the server did what was expected, and prints what it did.

It makes its messages from the image in generated/proto, because the code generator that Debian packages
(protoc 3.5) is older than `optional` in proto3. With a current grpcio-tools one would rather generate:
python3 -m grpc_tools.protoc -I proto --python_out=. --grpc_python_out=. $(cd proto && find . -name '*.proto')
"""

import pathlib
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

IMAGE = pathlib.Path(__file__).resolve().parents[2] / "generated" / "proto" / "docs.binpb"


class Client:
    """The service DocumentDB: a method for each RPC, which takes its request's fields."""

    def __init__(self, channel: grpc.Channel) -> None:
        files = descriptor_pb2.FileDescriptorSet.FromString(IMAGE.read_bytes())
        self._pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            self._pool.Add(file)
        self._service = self._pool.FindServiceByName("quire.docs.v1.DocumentDB")
        self._streams = {(m.name, m.client_streaming, m.server_streaming) for f in files.file for s in f.service for m in s.method}
        self._channel = channel

    def message(self, name: str, **fields):
        return self._class(self._pool.FindMessageTypeByName(f"quire.docs.v1.{name}"))(**fields)

    def rpc(self, name: str):
        method = self._service.methods_by_name[name]
        kinds = {(False, False): "unary_unary", (False, True): "unary_stream", (True, False): "stream_unary"}
        kind = next(kinds[client, server] for (other, client, server) in self._streams if other == name)
        return getattr(self._channel, kind)(
            f"/{self._service.full_name}/{name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=self._class(method.output_type).FromString,
        )

    def call(self, name: str, **fields):
        return self.rpc(name)(self.message(self._service.methods_by_name[name].input_type.name, **fields))

    def _class(self, descriptor):
        if hasattr(message_factory, "GetMessageClass"):
            return message_factory.GetMessageClass(descriptor)
        return message_factory.MessageFactory(self._pool).GetPrototype(descriptor)


def documents(client: Client) -> None:
    name = {"collection": "python", "key": "Hello", "lang": "en"}
    tags = client.message("StringList", values=["a", "b"])
    added = client.call("Add", **name, content_md="# Hello from Python", meta={"tags": tags})
    assert added.id == "python|hello|en", added
    assert list(added.meta["tags"].values) == ["a", "b"], added
    assert not added.HasField("expires_at"), added
    print("added", added.id)

    got, call = client.rpc("Get").with_call(client.message("GetRequest", **name), metadata=[("x-request-id", "python-1")])
    assert got == added, got
    assert ("x-request-id", "python-1") in [tuple(pair) for pair in call.initial_metadata()]
    print("got", got.content_md)

    # Presence: what is not set stays, what is set to nothing goes.
    kept = client.call("Update", **name, ttl=3600)
    assert kept.content_md == "# Hello from Python" and kept.HasField("expires_at"), kept
    cleared = client.call("Update", **name, ttl=0, meta=client.message("MetaMap"))
    assert not cleared.meta and not cleared.HasField("expires_at"), cleared
    print("updated", cleared.id)

    found = client.call("FTS", collection="python", query="hello", highlight=True)
    assert found.total_matches == 1 and found.results[0].document.key == "Hello", found
    listed = client.call("Search", collection="python")
    assert listed.total_count == 1 and listed.documents[0].id == added.id, listed
    print("found", found.results[0].highlights[0].fragment)


def errors(client: Client) -> None:
    try:
        client.call("Get", collection="python", key="absent", lang="en")
        sys.exit("a document that is absent was found")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.NOT_FOUND, error
        assert dict(error.trailing_metadata())["quire-code"] == "not_found", error
        print("refused", error.details())


def streams(client: Client) -> None:
    def items():
        for i in range(1200):
            document = client.message("BatchDocument", key=f"k{i}", lang="en", content_md="text")
            yield client.message("AddBatchItem", collection="python", document=document)

    assert client.rpc("AddBatchStream")(items()).added == 1200
    print("streamed 1200 documents")

    watching = client.call("Watch", collection="python", from_seq=0, include_document=True)
    first = next(watching)
    assert first.event == "doc.added" and first.key == "Hello", first
    watching.cancel()
    print("watched", first.event, first.seq)

    pieces = list(client.call("Export", collection="python", format="ndjson"))
    assert pieces[0].file_name == "python.ndjson", pieces[0]
    lines = b"".join(piece.data for piece in pieces).splitlines()
    assert len(lines) == 1201, len(lines)
    print("exported", len(lines), "documents")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with grpc.insecure_channel(sys.argv[1]) as channel:
        for part in (documents, errors, streams):
            part(Client(channel))
