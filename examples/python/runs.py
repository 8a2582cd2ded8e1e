"""Queues, reads and cancels a run of a Quire run queue. Usage: QUIRE_TOKEN=... runs.py URL"""

import os
import sys
import uuid
from typing import TypeVar

from quire_runs import AuthenticatedClient
from quire_runs.api.projects import list_projects
from quire_runs.api.runs import cancel_run, enqueue_run, get_run
from quire_runs.models import EnqueueRunRequest, EnqueueRunRequestKind, ErrorBody

T = TypeVar("T")


class Refused(Exception):
    """The server refused a request; `error.code` is the reason for programs."""

    def __init__(self, body: ErrorBody) -> None:
        super().__init__(f"{body.error.code}: {body.error.message or ''}")
        self.error = body.error


def succeeded(answer: T | ErrorBody | None) -> T:
    """The generated functions return refusals; this raises them."""
    if isinstance(answer, ErrorBody):
        raise Refused(answer)
    if answer is None:
        raise RuntimeError("the server answered with a status that its description does not have")
    return answer


with AuthenticatedClient(sys.argv[1], token=os.environ["QUIRE_TOKEN"]) as client:
    for project in succeeded(list_projects.sync(client=client)).data:
        print("project", project.id)

    # One key for one intention: a request that is sent again under it returns the first run.
    request = EnqueueRunRequest("alpha", EnqueueRunRequestKind.DIAGNOSTIC)
    key = str(uuid.uuid4())
    run = succeeded(enqueue_run.sync(client=client, body=request, idempotency_key=key)).data
    print("queued", run.state)
    again = succeeded(enqueue_run.sync(client=client, body=request, idempotency_key=key)).data
    print("same" if again.id == run.id else "another", "run")

    print("read", succeeded(get_run.sync(run.id, client=client)).data.state)
    print("cancelled", succeeded(cancel_run.sync(run.id, client=client)).data.state)

    try:
        succeeded(get_run.sync("0" * 32, client=client))
    except Refused as refused:
        print("refused", refused.error.code)
