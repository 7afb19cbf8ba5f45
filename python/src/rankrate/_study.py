"""A study of a running server: its data in frames, and rows into it, through the HTTP API."""

from __future__ import annotations

import json
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._frames import agreement_frame, frame_records, systems_frame
from ._program import StrPath
from .errors import ArgumentError, ServerError

if TYPE_CHECKING:
    from http.client import HTTPResponse

    import pandas as pd

Count: TypeAlias = Literal["submitted", "in-work", "consensus"]
"""Which answers count: of submitted sources, of open ones as well, or those on which raters agreed."""

# How many rows one request brings, and how many it takes.
_PAGE = 500
_ROWS = 1_000
# The most bad rows that a message lists.
_LISTED = 10
_SCORES = 10_000
# Statuses after which the same request may succeed, and how often it is sent.
_RETRIED = (429, 503)
_ATTEMPTS = 6
_LONGEST_WAIT = 60.0

_OUTPUT_FIELDS = ("source", "output", "system", "kind", "source_id", "references", "context_before", "context_after")


class Study:
    """A study on a server, in the name of the person whose token it is.

    Args:
        url: The study's address in the browser, such as ``https://rate.example.org/s/river``.
        token: A token of the page *Your account*, ``rankrate_…``. Keep it out of notebooks that you share: read it
            from the environment, for instance.
        timeout: How many seconds the server may take over an answer.

    Raises:
        ArgumentError: The address is not that of a study, or the token has another form.
    """

    def __init__(self, url: str, token: str, *, timeout: float = 60.0) -> None:
        parts = urllib.parse.urlsplit(url)
        base, found, rest = parts.path.rpartition("/s/")
        slug = rest.split("/")[0]
        if parts.scheme not in ("http", "https") or not parts.netloc or not found or not slug:
            raise ArgumentError(f"“{url}” is not the address of a study, such as https://rate.example.org/s/river")
        if not token.startswith("rankrate_") or not token.isascii() or not token.isprintable() or " " in token:
            raise ArgumentError("a token has the form “rankrate_…”: make one on the page Your account")
        self.slug = slug
        self.timeout = timeout
        self._api = f"{parts.scheme}://{parts.netloc}{base}/api/v1"
        self._token = token
        # A redirect could lead the token elsewhere.
        self._opener = urllib.request.build_opener(_NoRedirects)

    def __repr__(self) -> str:
        return f"Study({self._api.removesuffix('/api/v1')}/s/{self.slug})"

    def info(self) -> dict[str, Any]:
        """The study's settings, systems and counts, and ``event``, the number of its newest event."""
        return self._get("")

    def sources(self, *, since: int | None = None) -> pd.DataFrame:
        """The sources, with ``text``, ``references`` and others, by their id.

        Args:
            since: Only sources that changed after the event with this number.

        Returns:
            A frame whose ``attrs["event"]`` is the study's newest event: pass it as ``since`` the next time.
        """
        return self._list("sources", since=since)

    def outputs(self, *, since: int | None = None) -> pd.DataFrame:
        """The outputs of main sources, with ``text``, ``system``, ``category`` and others, by their id.

        Args:
            since: Only outputs of sources that changed after the event with this number.

        Returns:
            A frame whose ``attrs["event"]`` is the study's newest event: pass it as ``since`` the next time.
        """
        return self._list("outputs", since=since)

    def ratings(self, *, since: int | None = None, count: Count = "submitted") -> pd.DataFrame:
        """The ratings that count, one a row; raters have pseudonyms.

        Args:
            since: Only ratings of sources that changed after the event with this number: they replace all that you
                had of these sources.
            count: Which answers count.

        Returns:
            A frame whose ``attrs["event"]`` is the study's newest event, and whose ``attrs["changed_sources"]`` has
            the ids of the sources that changed, also where none of their ratings is left; ``None`` for all sources.
        """
        return self._list("ratings", since=since, count=count)

    def comparisons(self, *, since: int | None = None, count: Count = "submitted") -> pd.DataFrame:
        """The comparisons of outputs, one a row, as :meth:`ratings` has ratings."""
        return self._list("comparisons", since=since, count=count)

    def spans(self, *, since: int | None = None, count: Count = "submitted") -> pd.DataFrame:
        """The judgements with marked spans, one a row with a list of marks, as :meth:`ratings` has ratings."""
        return self._list("spans", since=since, count=count)

    def answers(self, *, since: int | None = None, count: Count = "submitted") -> pd.DataFrame:
        """The answers to questions, one a row, as :meth:`ratings` has ratings."""
        return self._list("answers", since=since, count=count)

    def scores(self, *, since: int | None = None) -> pd.DataFrame:
        """The scores of outputs by all metrics of the study, one a row, with the names of their metrics.

        Args:
            since: Only scores that came after the event with this number.

        Returns:
            A frame whose ``attrs["event"]`` is the study's newest event, and whose ``attrs["metrics"]`` lists the
            metrics with signature and direction.
        """
        frame = self._list("scores", since=since)
        names = {metric["id"]: metric["name"] for metric in frame.attrs["metrics"]}
        frame.insert(0, "name", [names.get(metric) for metric in frame.get("metric", ())])
        return frame

    def agreement(
        self,
        *,
        level: Literal["nominal", "ordinal", "interval", "ratio"] = "interval",
        by: Literal["category", "system", "dimension", "group"] | None = None,
        bootstrap: int | None = None,
        dimension: str | None = None,
        count: Count = "submitted",
    ) -> pd.DataFrame:
        """Krippendorff's alpha, in the form of :func:`rankrate.agreement`.

        Args:
            level: How the difference of two values counts.
            by: Also a row for each part; ``group`` for the raters of each group among themselves.
            bootstrap: How many resamples intervals are drawn from, at most 1,000; by default there are none.
            dimension: The dimension; by default the first one.
            count: Which answers count.

        Returns:
            A row for all ratings, ``all``, and one for each part; ``attrs["report"]`` has the whole report of
            ``rankrate agreement --json``.
        """
        report = self._get(
            "figures/agreement", level=level, by=by, bootstrap=bootstrap, dimension=dimension, count=count
        )
        return agreement_frame(report)

    def systems(
        self,
        *,
        by: Literal["category"] | None = None,
        group: str | None = None,
        dimension: str | None = None,
        count: Count = "submitted",
    ) -> pd.DataFrame:
        """Mean scores and ranks of systems, in the form of :func:`rankrate.systems`.

        Args:
            by: A ranking for each category of outputs in place of one of all.
            group: The name of a group of raters, whose ratings alone count.
            dimension: The dimension; by default the first one.
            count: Which answers count.

        Returns:
            A row for each system in the order of ranks; ``attrs["report"]`` has the whole report of
            ``rankrate systems --json``.
        """
        return systems_frame(self._get("figures/systems", by=by, group=group, dimension=dimension, count=count))

    def add_outputs(self, outputs: pd.DataFrame, *, strict: bool = False, wait: bool = True) -> list[dict[str, Any]]:
        """Adds outputs, with their sources and references where the study does not have them.

        Args:
            outputs: One output a row, with ``source``, ``output`` and ``system``, and where there are some ``kind``
                (machine, human or baseline), ``source_id``, ``references`` (a list), ``context_before`` and
                ``context_after``.
            strict: Add nothing of a request of 1,000 rows unless all of them are good.
            wait: Wait until the rows are imported.

        Returns:
            The jobs that import them, one for each 1,000 rows; ``result`` has their reports, with the bad rows.

        Raises:
            ArgumentError: A column is missing.
            ServerError: The server refuses the rows, an import failed, or with ``strict`` nothing of a request was
                added; the message names the first bad rows.
        """
        missing = [name for name in _OUTPUT_FIELDS[:3] if name not in outputs.columns]
        if missing:
            raise ArgumentError(f"the frame has no column “{missing[0]}”")
        columns = {name: name for name in _OUTPUT_FIELDS if name in outputs.columns}
        rows = list(frame_records(outputs, columns))
        bodies = ({"rows": chunk, "strict": strict} for chunk in _chunks(rows, _ROWS))
        jobs = self._add("outputs", bodies, wait)
        for number, job in enumerate(jobs):
            _require_added(job, number * _ROWS)
        return jobs

    def add_scores(
        self,
        metric: str,
        scores: pd.Series[float] | Mapping[str, float],
        *,
        version: str = "api",
        direction: Literal["higher-is-better", "lower-is-better", "neither"] | None = None,
        wait: bool = True,
    ) -> list[dict[str, Any]]:
        """Adds scores of outputs that were computed elsewhere.

        Args:
            metric: The metric's name.
            scores: The scores by the ids of outputs, as :meth:`outputs` has them in its index.
            version: The name of the version, such as that of the model: scores of the same metric and version
                replace earlier ones.
            direction: Whether a higher score is better; by default it is guessed from the name.
            wait: Wait until the scores are imported.

        Returns:
            The jobs that import them; ``result`` has their reports.

        Raises:
            ServerError: The server refuses the scores, or an import failed.
        """
        rows = [{"output": str(output), "value": float(value)} for output, value in scores.items()]
        shared = {"metric": metric, "version": version, "direction": direction}
        bodies = (shared | {"scores": chunk} for chunk in _chunks(rows, _SCORES))
        return self._add("scores", bodies, wait)

    def job(self, job: str) -> dict[str, Any]:
        """How far a job has come: ``state``, ``done`` of ``total``, and in the end ``result`` or ``failure``."""
        return self._json("GET", f"/jobs/{urllib.parse.quote(job, safe='')}")

    def wait_for(self, job: str, *, pause: float = 0.5) -> dict[str, Any]:
        """Waits until a job has ended, and returns it.

        Raises:
            ServerError: The job failed or was cancelled.
        """
        while True:
            found = self.job(job)
            if found["state"] == "done":
                return found
            if found["state"] in ("failed", "cancelled"):
                raise ServerError(f"the job {found['state']}: {found['failure'] or 'no reason is known'}", None)
            time.sleep(pause)

    def export(self, name: str, path: StrPath, *, count: Count = "submitted") -> None:
        """Saves the study's dataset as a ZIP archive, as the page *Export* gives it.

        Args:
            name: The format, such as ``jsonl`` or ``tidy``.
            path: The file to write.
            count: Which answers count.
        """
        query = _query(count=count)
        address = f"/studies/{self.slug}/exports/{urllib.parse.quote(name, safe='')}{query}"
        with self._open("GET", address) as answer, open(path, "wb") as file:
            shutil.copyfileobj(answer, file)

    def _add(self, name: str, bodies: Iterable[dict[str, Any]], wait: bool) -> list[dict[str, Any]]:
        ids = [self._json("POST", f"/studies/{self.slug}/{name}", body)["job"] for body in bodies]
        return [self.wait_for(job) if wait else self.job(job) for job in ids]

    def _list(self, name: str, **query: Any) -> pd.DataFrame:
        import pandas as pd

        rows: list[dict[str, Any]] = []
        first: dict[str, Any] | None = None
        cursor: str | None = None
        while first is None or cursor is not None:
            page = self._get(name, cursor=cursor, limit=_PAGE, **query)
            first = first or page
            rows += page[name]
            if cursor is not None and page["next"] == cursor:
                raise ServerError(f"the server at {self._api} sends the same page of {name} again and again", None)
            cursor = page["next"]
        frame = pd.DataFrame(rows)
        if "id" in frame.columns:
            frame = frame.set_index("id")
        frame.attrs |= {key: value for key, value in first.items() if key not in (name, "next")}
        return frame

    def _get(self, name: str, **query: Any) -> dict[str, Any]:
        path = f"/studies/{self.slug}" + (f"/{name}" if name else "")
        return self._json("GET", path + _query(**query))

    def _json(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        with self._open(method, path, body) as answer:
            parsed: dict[str, Any] = json.load(answer)
        return parsed

    def _open(self, method: str, path: str, body: dict[str, Any] | None = None) -> HTTPResponse:
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self._api + path, data=data, headers=headers, method=method)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                answer: HTTPResponse = self._opener.open(request, timeout=self.timeout)
                return answer
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in _RETRIED or attempt == _ATTEMPTS:
                        raise ServerError(_detail(error), error.code) from None
                    wait = _seconds(error.headers.get("Retry-After"))
                time.sleep(min(wait, _LONGEST_WAIT))
            except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
                reason = getattr(error, "reason", error)
                raise ServerError(f"the server at {self._api} cannot be reached: {reason}", None) from error
        raise AssertionError("the last attempt returns or raises")


def _require_added(job: dict[str, Any], before: int) -> None:
    """Raises where a strict import added nothing; its request began after ``before`` rows of the frame."""
    report = (job["result"] or {}).get("strict")
    if report is None:
        return
    listed = report["bad_rows"][:_LISTED]
    lines = [
        f"  row {before + bad['line']}" + (f", “{bad['column']}”" if bad["column"] else "") + f": {bad['reason']}"
        for bad in listed
    ]
    if report["bad"] > len(listed):
        lines.append(f"  and {report['bad'] - len(listed)} more")
    first, last = before + 1, before + report["rows"]
    raise ServerError(
        "\n".join([f"nothing of the rows {first} to {last} was added, as {report['bad']} of them are bad:", *lines]),
        None,
    )


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _detail(error: urllib.error.HTTPError) -> str:
    """The sentence of a problem; another server's answer may be anything."""
    try:
        problem = json.loads(error.read(1 << 16))
        return str(problem["detail"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"the server answers {error.code} {error.reason}: is this the address of Rank & Rate?"


def _seconds(header: str | None) -> float:
    try:
        return max(float(header or 1), 0.1)
    except ValueError:
        return 1.0


def _query(**values: object) -> str:
    given = {name: str(value) for name, value in values.items() if value is not None}
    return f"?{urllib.parse.urlencode(given)}" if given else ""


def _chunks(rows: Sequence[dict[str, Any]], size: int) -> Iterator[Sequence[dict[str, Any]]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
