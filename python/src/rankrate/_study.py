"""A study of a running server: its data in frames, and rows into it, through the HTTP API."""

from __future__ import annotations

import math
import shutil
import time
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._frames import agreement_frame, as_frame, frame_records, is_missing, systems_frame
from ._program import StrPath
from ._progress import progress_bars
from ._server import ServerConnection, as_query
from .errors import ArgumentError, ServerError

if TYPE_CHECKING:
    import pandas as pd

Count: TypeAlias = Literal["submitted", "in-work", "consensus"]
"""Which answers count: of submitted sources, of open ones as well, or those on which raters agreed."""

# How many rows one request brings, and how many it takes.
_PAGE = 500
_ROWS = 1_000
# The most bad rows that a message lists.
_LISTED = 10
_SCORES = 10_000

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

    Attributes:
        slug: The study's short name.
        timeout: How many seconds the server may take over an answer.
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
        self._server = ServerConnection(f"{parts.scheme}://{parts.netloc}{base}", token)

    def __repr__(self) -> str:
        return f"Study({self._server.address}/s/{self.slug})"

    def info(self) -> dict[str, Any]:
        """The study's settings, dimensions with their scales, systems and counts.

        Returns:
            The description, as JSON holds it; ``event`` is the number of the study's newest event.

        Raises:
            ServerError: The server refuses the request or cannot be reached; the message says why.
        """
        return self._get("")

    def sources(self, *, since: int | None = None) -> pd.DataFrame:
        """The sources, by their id.

        Args:
            since: Only sources that changed after the event with this number.

        Returns:
            A row for each source, with ``source_id`` (its name in the files it came from), ``text``, ``purpose``,
            ``references`` (a list), ``context_before``, ``context_after``, ``outputs`` and ``handed_in`` (by how many
            annotators). ``attrs["event"]`` is the study's newest event, to be passed as ``since`` the next time.

        Raises:
            ServerError: The server refuses the request or cannot be reached; the message says why.
        """
        return self._list("sources", since=since)

    def outputs(self, *, since: int | None = None) -> pd.DataFrame:
        """The outputs of main sources, by their id.

        Args:
            since: Only outputs of sources that changed after the event with this number.

        Returns:
            A row for each output, with ``source`` (the source's id), ``source_id``, ``system``, ``kind`` (machine,
            human or baseline), ``text``, ``twin_of`` (the id of the source's first output with the same text, unless it
            is this one), ``category`` (the raters' majority) and ``automatic_category``. ``attrs["event"]`` is the
            study's newest event, to be passed as ``since`` the next time.

        Raises:
            ServerError: The server refuses the request or cannot be reached; the message says why.
        """
        return self._list("outputs", since=since)

    def ratings(self, *, since: int | None = None, count: Count = "submitted") -> pd.DataFrame:
        """The ratings that count, one a row; raters have pseudonyms.

        Args:
            since: Only those of sources that changed after the event with this number: they replace all that you had of
                these sources.
            count: Which answers count: ``submitted``, those of sources that annotators submitted; ``in-work``, those of
                open sources as well; ``consensus``, those on which the raters of a source agreed.

        Returns:
            A row for each rating, with ``output``, ``source``, ``source_id``, ``system``, ``rater``, ``group`` (where
            the rater is in one), ``dimension``, ``value`` (on ``scale``, such as ``0..100``), ``shared`` (whether it
            was given to the identical output that stands for this one) and ``recorded_at``. :func:`agreement` and
            :func:`systems` take it. ``attrs["event"]`` is the study's newest event, to be passed as ``since`` the next
            time; ``attrs["changed_sources"]`` has the ids of the sources that changed, also where nothing of them is
            left, and is ``None`` for all sources. Without any row the frame has no columns.

        Raises:
            ServerError: The server refuses the request or cannot be reached; the message says why.
        """
        return self._list("ratings", since=since, count=count)

    def comparisons(self, *, since: int | None = None, count: Count = "submitted") -> pd.DataFrame:
        """The comparisons of outputs that count, one a row.

        Args:
            since: Only those of sources that changed after the event with this number: they replace all that you had of
                these sources.
            count: Which answers count: ``submitted``, those of sources that annotators submitted; ``in-work``, those of
                open sources as well; ``consensus``, those on which the raters of a source agreed.

        Returns:
            A row for each comparison, with ``source``, ``rater``, ``dimension``, ``systems`` (those compared),
            ``better`` (of two; ``None`` for a tie), ``best`` and ``worst`` (of more than two), ``recorded_at`` and
            others. ``attrs["event"]`` is the study's newest event, to be passed as ``since`` the next time;
            ``attrs["changed_sources"]`` has the ids of the sources that changed, also where nothing of them is left,
            and is ``None`` for all sources. Without any row the frame has no columns.

        Raises:
            ServerError: The server refuses the request or cannot be reached; the message says why.
        """
        return self._list("comparisons", since=since, count=count)

    def spans(self, *, since: int | None = None, count: Count = "submitted") -> pd.DataFrame:
        """The judgements with marked spans that count, one a row.

        Args:
            since: Only those of sources that changed after the event with this number: they replace all that you had of
                these sources.
            count: Which answers count: ``submitted``, those of sources that annotators submitted; ``in-work``, those of
                open sources as well; ``consensus``, those on which the raters of a source agreed.

        Returns:
            A row for each judgement of an output, with ``output``, ``system``, ``rater``, ``marks`` (a list, empty
            where there is nothing to mark; places count characters), ``shared``, ``recorded_at`` and others.
            ``attrs["event"]`` is the study's newest event, to be passed as ``since`` the next time;
            ``attrs["changed_sources"]`` has the ids of the sources that changed, also where nothing of them is left,
            and is ``None`` for all sources. Without any row the frame has no columns.

        Raises:
            ServerError: The server refuses the request or cannot be reached; the message says why.
        """
        return self._list("spans", since=since, count=count)

    def answers(self, *, since: int | None = None, count: Count = "submitted") -> pd.DataFrame:
        """The answers to questions that count, one a row.

        Args:
            since: Only those of sources that changed after the event with this number: they replace all that you had of
                these sources.
            count: Which answers count: ``submitted``, those of sources that annotators submitted; ``in-work``, those of
                open sources as well; ``consensus``, those on which the raters of a source agreed.

        Returns:
            A row for each answer, with ``source``, ``output`` (``None`` for a question about the source), ``rater``,
            ``question``, ``options`` (a list of those chosen), ``text`` (the rater's own words, or ``None``),
            ``recorded_at`` and others. ``attrs["event"]`` is the study's newest event, to be passed as ``since`` the
            next time; ``attrs["changed_sources"]`` has the ids of the sources that changed, also where nothing of them
            is left, and is ``None`` for all sources. Without any row the frame has no columns.

        Raises:
            ServerError: The server refuses the request or cannot be reached; the message says why.
        """
        return self._list("answers", since=since, count=count)

    def scores(self, *, since: int | None = None) -> pd.DataFrame:
        """The scores of outputs by all metrics of the study, one a row.

        Args:
            since: Only scores that came after the event with this number.

        Returns:
            A row for each score, with ``name`` (of the metric), ``output``, ``source``, ``source_id``, ``system``,
            ``metric`` (its id) and ``value``, ``nan`` where the metric has none. ``attrs["event"]`` is the study's
            newest event, and ``attrs["metrics"]`` lists the metrics with signature and direction.

        Raises:
            ServerError: The server refuses the request or cannot be reached; the message says why.
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
            count: Which answers count, as for :meth:`ratings`.

        Returns:
            A row for all ratings, ``all``, and one for each part; ``attrs["report"]`` has the whole report of
            ``rankrate agreement --json``. What is undefined is ``nan``, with the reason beside it.

        Raises:
            ServerError: The server refuses the request, for instance as nobody rated the dimension, or cannot be
                reached; the message says why.
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
            count: Which answers count, as for :meth:`ratings`.

        Returns:
            A row for each system in the order of ranks; ``attrs["report"]`` has the whole report of ``rankrate systems
            --json``.

        Raises:
            ServerError: The server refuses the request, for instance as nobody rated the dimension, or cannot be
                reached; the message says why.
        """
        return systems_frame(self._get("figures/systems", by=by, group=group, dimension=dimension, count=count))

    def add_outputs(
        self, outputs: pd.DataFrame | Any, *, strict: bool = False, wait: bool = True, progress: bool = False
    ) -> list[dict[str, Any]]:
        """Adds outputs, with their sources and references where the study does not have them.

        Args:
            outputs: One output a row, with ``source``, ``output`` and ``system``, and where there are some ``kind``
                (machine, human or baseline), ``source_id``, ``references`` (a list), ``context_before`` and
                ``context_after``: a frame of pandas, or a table that becomes one by its method ``to_pandas`` (Polars,
                Arrow, ``datasets``). Missing values are left out.
            strict: Add nothing of a request of 1,000 rows unless all of them are good.
            wait: Wait until the rows are imported.
            progress: Draw a bar of tqdm while it waits.

        Returns:
            The jobs that import them, one for each 1,000 rows; ``result`` has their reports, with the bad rows.

        Raises:
            TypeError: The outputs are no table.
            ArgumentError: A column is missing.
            UnavailableError: ``progress`` is set, and tqdm is not installed.
            ServerError: The server refuses the rows, an import failed, or with ``strict`` nothing of a request was
                added; the message names the first bad rows.
        """
        frame = as_frame(outputs, "outputs")
        missing = [name for name in _OUTPUT_FIELDS[:3] if name not in frame.columns]
        if missing:
            raise ArgumentError(f"the frame has no column “{missing[0]}”")
        columns = {name: name for name in _OUTPUT_FIELDS if name in frame.columns}
        rows = [_with_text_names(row) for row in frame_records(frame, columns)]
        bodies = ({"rows": chunk, "strict": strict} for chunk in _chunks(rows, _ROWS))
        jobs = self._add("outputs", bodies, "rows", wait=wait, progress=progress)
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
        progress: bool = False,
    ) -> list[dict[str, Any]]:
        """Adds scores of outputs that were computed elsewhere.

        Args:
            metric: The metric's name.
            scores: The scores by the ids of outputs, as :meth:`outputs` has them in its index. Those that are missing
                (``nan``, ``None``) are left out.
            version: The name of the version, such as that of the model: scores of the same metric and version
                replace earlier ones.
            direction: Whether a higher score is better; by default it is guessed from the name.
            wait: Wait until the scores are imported.
            progress: Draw a bar of tqdm while it waits.

        Returns:
            The jobs that import them, one for each 10,000 scores; ``result`` has their reports.

        Raises:
            TypeError: The scores are neither a series nor a mapping.
            ArgumentError: A score is infinite.
            UnavailableError: ``progress`` is set, and tqdm is not installed.
            ServerError: The server refuses the scores, or an import failed.
        """
        rows = list(_score_rows(scores))
        shared = {"metric": metric, "version": version, "direction": direction}
        bodies = (shared | {"scores": chunk} for chunk in _chunks(rows, _SCORES))
        return self._add("scores", bodies, "scores", wait=wait, progress=progress)

    def job(self, job: str) -> dict[str, Any]:
        """How far a job of the server has come.

        Args:
            job: The job's id.

        Returns:
            The job, as JSON holds it: ``kind``, ``state`` (queued, running, done, failed or cancelled), ``done`` of
            ``total`` (0 while that is unknown), and in the end ``result`` or ``failure``.

        Raises:
            ServerError: There is no such job, or the server cannot be reached; the message says which.
        """
        return self._server.ask("GET", f"/jobs/{urllib.parse.quote(job, safe='')}", self.timeout)

    def wait_for(self, job: str, *, pause: float = 0.5) -> dict[str, Any]:
        """Waits until a job has ended.

        Args:
            job: The job's id.
            pause: How many seconds pass between two looks at it.

        Returns:
            The job, as :meth:`job` has it.

        Raises:
            ServerError: The job failed or was cancelled, or the server cannot be reached.
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
            name: The format, such as ``jsonl`` or ``tidy``: those of ``rankrate export``.
            path: The file to write.
            count: Which answers count, as for :meth:`ratings`.

        Raises:
            OSError: The file cannot be written.
            ServerError: The server refuses the request, or cannot be reached; the message says why.
        """
        address = f"/studies/{self.slug}/exports/{urllib.parse.quote(name, safe='')}{as_query(count=count)}"
        with self._server.open("GET", address, self.timeout) as answer, open(path, "wb") as file:
            shutil.copyfileobj(answer, file)

    def _add(
        self, name: str, bodies: Iterable[dict[str, Any]], key: str, *, wait: bool, progress: bool
    ) -> list[dict[str, Any]]:
        """Sends bodies with rows under a key, and returns their jobs."""
        sent = [
            (self._server.ask("POST", f"/studies/{self.slug}/{name}", self.timeout, body)["job"], len(body[key]))
            for body in bodies
        ]
        if not wait:
            return [self.job(job) for job, _ in sent]
        jobs, done, total = [], 0, sum(rows for _, rows in sent)
        with progress_bars(progress) as show:
            for job, rows in sent:
                jobs.append(self.wait_for(job))
                done += rows
                if show is not None:
                    show({"of": f"{key} imported", "done": done, "total": total})
        return jobs

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
                raise ServerError(
                    f"the server at {self._server.address} sends the same page of {name} again and again", None
                )
            cursor = page["next"]
        frame = pd.DataFrame(rows)
        if "id" in frame.columns:
            frame = frame.set_index("id")
        frame.attrs |= {key: value for key, value in first.items() if key not in (name, "next")}
        return frame

    def _get(self, name: str, **query: Any) -> dict[str, Any]:
        path = f"/studies/{self.slug}" + (f"/{name}" if name else "")
        return self._server.ask("GET", path + as_query(**query), self.timeout)


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


def _with_text_names(row: dict[str, Any]) -> dict[str, Any]:
    """The row with names of sources and systems that pandas took for whole numbers as texts."""
    return row | {name: str(row[name]) for name in ("source_id", "system") if isinstance(row.get(name), int)}


def _score_rows(scores: pd.Series[float] | Mapping[str, float]) -> Iterator[dict[str, Any]]:
    import pandas as pd

    if not isinstance(scores, pd.Series | Mapping):
        raise TypeError(
            f"scores is a {type(scores).__name__}: give a series of pandas with the ids of outputs as its index, or a "
            f"dictionary"
        )
    for output, score in scores.items():
        if is_missing(score):
            continue
        value = float(score)
        if math.isinf(value):
            raise ArgumentError(f"the score of the output {output} is infinite: leave it out, or give a number")
        yield {"output": str(output), "value": value}


def _chunks(rows: Sequence[dict[str, Any]], size: int) -> Iterator[Sequence[dict[str, Any]]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
