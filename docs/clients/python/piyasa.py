"""Asks piyasa from Python 3.9 or newer, with nothing but the standard library.

    from piyasa import Piyasa
    market = Piyasa("http://127.0.0.1:8080", key)
    market.quotes("bist:DMOST", "crypto:DMC", currency="TRY")[0]["last"]   # Decimal("314.25")
    market.eod("bist:DMOST", start="2026-03-01").pandas()                   # if pandas is installed
    for disclosure in market.follow_disclosures("all", position=saved): ...

Figures are decimal.Decimal with exactly the digits that were sent, times are datetime in UTC, days are date, and what is
unknown is None. Tables are lists of dicts; .pandas() and .polars() make frames of them, whose decimals stay exact.
"""

from __future__ import annotations

import datetime
import decimal
import http.client
import importlib
import json
import os
import pathlib
import random
import shutil
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import IO, Any, Iterable, Iterator, Mapping, Union

# The columns of tables that are not text.
DECIMALS = frozenset(
    "last prev_close change change_pct open high low close bid ask volume turnover limit_up limit_down market_cap fx_rate value".split()
)
TIMES = frozenset("as_of fx_as_of t published_at".split())
DAYS = frozenset("date end_date".split())

Day = Union[str, datetime.date]  # ISO 8601

MAKING = 330  # seconds that a server may take to make a file
SILENCE = 60  # seconds; a stream that says nothing for as long is dead, since a living one gives a sign every 15 s


class PiyasaError(Exception):
    """What was refused: kind, detail and the other members of the problem."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(problem.get("detail") or problem.get("message") or str(problem))
        self.status, self.problem = status, problem
        self.kind: str = problem.get("type", "").rpartition("/")[2]


class Table(list[dict[str, Any]]):
    """Rows as dicts."""

    def pandas(self) -> Any:
        """A DataFrame of pandas; decimals are objects, so that they stay exact."""
        return importlib.import_module("pandas").DataFrame(list(self))

    def polars(self) -> Any:
        """A DataFrame of polars, with its exact Decimal type."""
        return importlib.import_module("polars").DataFrame(list(self), infer_schema_length=None)


class Piyasa:
    def __init__(self, url: str, key: str, timeout: float = 30, attempts: int = 4) -> None:
        self.url, self.key, self.timeout, self.attempts = url.rstrip("/"), key, timeout, attempts

    # Requests

    def get(self, path: str, **parameters: Any) -> Any:
        """The JSON of a route, such as get("/v1/quotes", ids="bist:DMOST"); parameters that are None are left out."""
        return self._ask(self._request(path, parameters))

    def graphql(self, query: str, **variables: Any) -> Any:
        """The data of a query. Errors of it raise; ask for single fields of what may be missing by instrument()."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        answer = self._ask(self._request("/graphql", {}, body))
        if answer.get("errors"):
            first = answer["errors"][0]
            raise PiyasaError(200, first.get("extensions", {}).get("problem") or first)
        return answer["data"]

    def _request(self, path: str, parameters: Mapping[str, Any], body: bytes | None = None) -> urllib.request.Request:
        given = {name: ",".join(v) if isinstance(v, (list, tuple)) else v for name, v in parameters.items() if v is not None}
        query = "?" + urllib.parse.urlencode(given) if given else ""
        headers = {"X-API-Key": self.key, "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        return urllib.request.Request(self.url + path + query, body, headers)

    def _ask(self, request: urllib.request.Request) -> Any:
        with self._open(request, self.timeout) as answer:
            return json.load(answer)

    def _open(self, request: urllib.request.Request, timeout: float) -> Any:
        for attempt in range(1, self.attempts + 1):
            try:
                return urllib.request.urlopen(request, timeout=timeout)
            except urllib.error.HTTPError as error:
                wait = error.headers.get("Retry-After")
                with error:
                    text = error.read()
                if error.code not in (429, 503) or wait is None or attempt == self.attempts:
                    try:
                        problem = json.loads(text)
                    except ValueError:
                        problem = {"detail": text.decode(errors="replace")[:200]}
                    raise PiyasaError(error.code, problem) from None
                time.sleep(min(float(wait), 30))

    # Tables

    def quotes(self, *ids: str, currency: str | None = None) -> Table:
        """The newest prices, one row for each id that has one."""
        return table(self.get("/v1/quotes", ids=ids, currency=currency)["quotes"])

    def candles(
        self, id: str, resolution: str = "1d", start: Day | None = None, end: Day | None = None, currency: str | None = None
    ) -> Table:
        """Bars of 5m, 2h, 1d, 1w or 1mo."""
        path = "/v1/candles/" + urllib.parse.quote(id, safe=":")
        return table(self.get(path, resolution=resolution, **{"from": start, "to": end}, currency=currency)["bars"])

    def eod(self, id: str, start: Day | None = None, end: Day | None = None, currency: str | None = None) -> Table:
        """Daily records."""
        path = "/v1/eod/" + urllib.parse.quote(id, safe=":")
        return table(self.get(path, **{"from": start, "to": end}, currency=currency)["records"])

    def financials(self, id: str, timeframe: str = "annual", limit: int = 4) -> Table:
        """Statements, one row for each line of each period."""
        answer = self.get(f"/v1/stocks/{urllib.parse.quote(id, safe=':')}/financials", timeframe=timeframe, limit=limit)
        return table(
            {
                "end_date": period["end_date"], "fiscal_year": period["fiscal_year"], "fiscal_period": period["fiscal_period"],
                "derived": period["derived"], "currency": answer["currency"], "code": code, "label": line["label_tr"], "value": line["value"],
            }
            for period in answer["periods"]
            for code, line in period["items"].items()
        )

    def disclosures(self, limit: int = 100, **filters: Any) -> Table:
        """The newest disclosures; filters are the parameters of the route, such as symbols, type and from_."""
        filters = {name.rstrip("_"): value for name, value in filters.items()}
        rows: list[dict[str, Any]] = []
        cursor = None
        while len(rows) < limit:
            page = self.get("/v1/kap-feed/disclosures", limit=min(100, limit - len(rows)), cursor=cursor, **filters)
            rows += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        return table(rows)

    # Files

    def bulk(
        self, kind: str, folder: str = ".", start: Day | None = None, end: Day | None = None, **parameters: Any
    ) -> tuple[pathlib.Path, str]:
        """Downloads all records of a kind into a file of a folder, such as bulk("bar", market="bist", year=2026), and goes on
        where a cut was. Returns the path, and the position from which to follow what changes."""
        request = self._request("/v1/bulk/" + urllib.parse.quote(kind), {"from": start, "to": end, **parameters})
        request.add_header("Accept", "*/*")
        part = tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False)
        try:
            with part:
                name, position = self._download(request, part)
            path = pathlib.Path(folder, os.path.basename(name))
            os.replace(part.name, path)
        except BaseException:
            os.unlink(part.name)
            raise
        return path, position

    def _download(self, request: urllib.request.Request, into: IO[bytes]) -> tuple[str, str]:
        lost = 0
        while lost < self.attempts:
            have = into.tell()
            try:
                with self._open(request, max(self.timeout, MAKING)) as answer:
                    if answer.status != 206:  # another file than before
                        into.seek(0)
                        into.truncate()
                    whole = into.tell() + int(answer.headers["Content-Length"])
                    request.add_header("If-Range", answer.headers["ETag"])
                    shutil.copyfileobj(answer, into)
                    if into.tell() == whole:
                        return answer.headers.get_filename() or "bulk", answer.headers["X-Position"]
            except (OSError, http.client.HTTPException):
                pass
            lost = 0 if into.tell() > have else lost + 1
            if into.tell():
                request.add_header("Range", f"bytes={into.tell()}-")
        raise ConnectionError("the file was cut")

    # Streams

    FOLLOW = """subscription ($topics: [String!]!, $after: String, $seq: Long) { disclosureStream(topics: $topics, after: $after, afterSeq: $seq) {
      __typename
      ... on Subscribed { invalid }
      ... on DisclosureEvent { position data { disclosureIndex type symbols filerTitle publishedAt subject { tr en } link } }
      ... on ReplayDone { position truncated }
      ... on StreamError { code message } } }"""

    def follow_disclosures(
        self, *topics: str, position: str | int | None = None, reconnects: int | None = None
    ) -> Iterator[tuple[str | int | None, dict[str, Any]]]:
        """Yields (position, disclosure) for ever, without loss: store the position when you are done with the disclosure,
        and pass it when you start again. Without one, it begins with what is stored from now on, with 0 with everything.
        reconnects bounds how often a connection that is lost is replaced before an error is raised; None: always."""
        pause, lost = 0.25, 0
        while True:
            try:
                for event in self._events(list(topics) or ["all"], position):
                    pause = 0.25
                    position = event.get("id") or position
                    payload = json.loads(event["data"]) if event.get("data") else {}
                    of = (payload.get("data") or {}).get("disclosureStream") or {}
                    if payload.get("errors"):
                        first = payload["errors"][0]
                        raise PiyasaError(200, first.get("extensions", {}).get("problem") or first)
                    if of.get("__typename") == "DisclosureEvent":
                        yield position, of["data"]
                    elif of.get("invalid"):
                        raise PiyasaError(200, {"type": "invalid-parameter", "detail": f"no topics: {', '.join(of['invalid'])}"})
                    elif of.get("__typename") == "ReplayDone" and of["truncated"]:
                        break  # more is stored than a replay holds: go on from here
                    elif of.get("__typename") == "StreamError" and of["code"] != "SLOW_CONSUMER":
                        raise PiyasaError(200, {"type": of["code"], "detail": of["message"]})
            except PiyasaError as error:
                if error.status not in (429, 503):
                    raise
            except (OSError, http.client.HTTPException):
                pass
            lost += 1
            if reconnects is not None and lost > reconnects:
                raise ConnectionError("the stream was lost")
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(2 * pause, 10)

    def _events(self, topics: list[str], position: str | int | None) -> Iterator[dict[str, str]]:
        """Yields server-sent events as dicts until the connection ends."""
        of: dict[str, Any] = {"seq": position} if isinstance(position, int) else {"after": position}
        body = json.dumps({"query": self.FOLLOW, "variables": {"topics": topics, **of}}).encode()
        request = self._request("/graphql/stream", {}, body)
        request.add_header("Accept", "text/event-stream")
        try:
            stream = urllib.request.urlopen(request, timeout=SILENCE)
        except urllib.error.HTTPError as error:
            with error:
                raise PiyasaError(error.code, json.loads(error.read() or "{}")) from None
        with stream:
            event: dict[str, str] = {}
            for line in stream:
                name, _, value = line.decode().rstrip("\r\n").partition(":")
                if name:
                    event[name] = value.removeprefix(" ")
                elif event:
                    yield event
                    event = {}


def table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Rows of JSON with their figures, times and days read."""
    return Table({name: read(name, value) for name, value in row.items()} for row in rows)


def read(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if name in DECIMALS:
        return decimal.Decimal(value)
    if name in TIMES:
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    if name in DAYS:
        return datetime.date.fromisoformat(value)
    return value
