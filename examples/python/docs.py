"""Adds, reads and searches documents of a Quire server. Usage: docs.py URL"""

import os
import sys
from typing import TypeVar

from quire_docs import AuthenticatedClient
from quire_docs.api.audit import list_audit_events
from quire_docs.api.documents import add_document, get_document, search_documents
from quire_docs.api.fulltext import search_full_text
from quire_docs.models import AddDocumentRequest, ErrorBody, FilterMeta, GetDocumentRequest, GivenMeta
from quire_docs.models import RangeCondition, SearchDocumentsRequest, SearchFullTextRequest

T = TypeVar("T")


class Refused(Exception):
    """The server refused a request; `body.code` is the reason for programs, `body.error` the one for people."""

    def __init__(self, body: ErrorBody) -> None:
        super().__init__(f"{body.code}: {body.error}")
        self.body = body


def succeeded(answer: T | ErrorBody | None) -> T:
    """The generated functions return refusals; this raises them."""
    if isinstance(answer, ErrorBody):
        raise Refused(answer)
    if answer is None:
        raise RuntimeError("the server answered with a status that its description does not have")
    return answer


def meta(**values: list[str]) -> GivenMeta:
    return GivenMeta.from_dict(values)


# A server without accounts ignores the token.
with AuthenticatedClient(sys.argv[1], token=os.environ.get("QUIRE_TOKEN", "none")) as client:
    for key, text, year in [("hello", "# Hello", "2026"), ("goodbye", "# Goodbye", "1999")]:
        request = AddDocumentRequest("examples", key, "en", content_md=text, meta=meta(kind=[key], year=[year]))
        added = succeeded(add_document.sync(client=client, body=request))
        print("added", added.key)

    document = succeeded(get_document.sync(client=client, body=GetDocumentRequest("examples", "hello", "en")))
    print("read", document.content_md)

    filtered = SearchDocumentsRequest("examples", filter_meta=FilterMeta.from_dict({"kind": ["hello"]}))
    for found in succeeded(search_documents.sync(client=client, body=filtered)):
        print("filtered", found.key)

    query = SearchFullTextRequest(
        "examples",
        "hello goodbye",
        filter_meta=FilterMeta.from_dict({"kind": ["hello", "goodbye"]}),
        range_meta=[RangeCondition("year", gte=2000)],
        highlight=True,
    )
    for result in succeeded(search_full_text.sync(client=client, body=query)).results:
        print("found", result.document.key, result.highlights[0].fragment if result.highlights else "")

    try:
        succeeded(get_document.sync(client=client, body=GetDocumentRequest("examples", "absent", "en")))
    except Refused as refused:
        print("refused", refused.body.code)

    # The exact time, which is beyond 2^53, finds the record again.
    newest = succeeded(list_audit_events.sync(client=client, action="write./v1/add", limit=1)).events[0]
    exact = succeeded(list_audit_events.sync(client=client, from_nanos=newest.ts, to_nanos=newest.ts)).events
    print("audited", newest.action, "in nanoseconds" if newest.ts > 2**53 and newest in exact else newest.ts)
