"""Requests to a server's HTTP API."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPException, HTTPResponse
from typing import Any

from .errors import ServerError

# Statuses after which the same request may succeed, and how often it is sent.
_RETRIED = (429, 503)
_ATTEMPTS = 6
_LONGEST_WAIT = 60.0


class ServerConnection:
    """A server, asked in the name of the person whose token it is.

    Args:
        address: Where the server is, without the path of its API.
        token: The token.
    """

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self._token = token

    def ask(self, method: str, path: str, timeout: float, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a request, as JSON holds it.

        Raises:
            ServerError: The server refuses the request, cannot be reached, or breaks off.
        """
        with self.open(method, path, timeout, body) as answer:
            try:
                parsed: dict[str, Any] = json.load(answer)
            except (ValueError, OSError, HTTPException) as error:
                raise ServerError(
                    f"the answer of the server at {self.address} cannot be read: {error}", None
                ) from error
        return parsed

    def open(self, method: str, path: str, timeout: float, body: dict[str, Any] | None = None) -> HTTPResponse:
        """The answer to a request, to be read. The request is sent again where the server is busy.

        Raises:
            ServerError: The server refuses the request, or cannot be reached.
        """
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
            headers["Content-Type"] = "application/json"
        address = f"{self.address}/api/v1{path}"
        request = urllib.request.Request(address, data=data, headers=headers, method=method)
        # A redirect could lead the token elsewhere.
        opener = urllib.request.build_opener(_NoRedirects)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                answer: HTTPResponse = opener.open(request, timeout=timeout)
                return answer
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in _RETRIED or attempt == _ATTEMPTS:
                        raise ServerError(_detail(error), error.code) from None
                    wait = _seconds(error.headers.get("Retry-After"))
                time.sleep(min(wait, _LONGEST_WAIT))
            except (urllib.error.URLError, HTTPException, OSError) as error:
                reason = getattr(error, "reason", error)
                raise ServerError(f"the server at {self.address} cannot be reached: {reason}", None) from error
        raise AssertionError("the last attempt returns or raises")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def as_query(**values: object) -> str:
    """The values that are given, as the end of an address."""
    given = {name: str(value) for name, value in values.items() if value is not None}
    return f"?{urllib.parse.urlencode(given)}" if given else ""


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
