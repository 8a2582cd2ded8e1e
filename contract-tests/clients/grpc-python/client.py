"""A gRPC client in Python that adds, gets, searches, and reads the audit log.

Usage: client.py HOST:PORT
Ends with 0 when the server did what was expected, and prints what it did. run.sh generates its messages and stubs.
"""

import sys

import grpc
from quire.docs.v1.audit_pb2 import ListAuditRequest
from quire.docs.v1.common_pb2 import RangeCondition, RangeValue, StringList
from quire.docs.v1.document_db_pb2_grpc import DocumentDBStub
from quire.docs.v1.documents_pb2 import AddRequest, GetRequest, SearchRequest
from quire.docs.v1.fulltext_pb2 import FTSRequest

COLLECTION = "python-stubs"


def values(*texts: str) -> StringList:
    return StringList(values=texts)


def documents(client: DocumentDBStub) -> None:
    for key, year in (("Hello", "2026"), ("Goodbye", "1999")):
        meta = {"kind": values(key), "year": values(year)}
        client.Add(AddRequest(collection=COLLECTION, key=key, lang="en", content_md=f"# {key}", meta=meta))
    print("added Hello and Goodbye")

    got = client.Get(GetRequest(collection=COLLECTION, key="Hello", lang="en"))
    assert not got.HasField("expires_at") and list(got.meta["year"].values) == ["2026"], got
    print("got", got.content_md)


def search(client: DocumentDBStub) -> None:
    listed = client.Search(SearchRequest(collection=COLLECTION, filter_meta={"kind": values("Hello")}))
    print("filtered", listed.documents[0].key, "of", listed.total_count)

    found = client.FTS(
        FTSRequest(
            collection=COLLECTION,
            query="hello goodbye",
            highlight=True,
            filter_meta={"kind": values("Hello", "Goodbye")},
            range_meta=[RangeCondition(field="year", gte=RangeValue(number=2000))],
        )
    )
    print("found", found.results[0].highlights[0].fragment, "of", found.total_matches)


def refusal(client: DocumentDBStub) -> None:
    try:
        client.Get(GetRequest(collection=COLLECTION, key="absent", lang="en"))
        sys.exit("a document that is absent was found")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.NOT_FOUND, error
        print("refused", dict(error.trailing_metadata())["quire-code"])


def audit(client: DocumentDBStub) -> None:
    """Asks for the newest addition again by its exact time, which is beyond 2^53."""
    newest = client.ListAudit(ListAuditRequest(action="write./v1/add", limit=1)).events[0]
    exact = client.ListAudit(ListAuditRequest(from_nanos=newest.ts, to_nanos=newest.ts))
    assert newest.ts > 2**53 and newest in exact.events, (newest, exact)
    print("audited", newest.action)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with grpc.insecure_channel(sys.argv[1]) as channel:
        for part in (documents, search, refusal, audit):
            part(DocumentDBStub(channel))
