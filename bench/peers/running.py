"""What the peers of bench/servers share: an environment of their own, a server process, a browser."""

import contextlib
import http.cookiejar
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
import venv

HOST = "127.0.0.1"
# Label Studio makes its tables for minutes where others use the disk.
STARTING_SECONDS = 900
ENDING_SECONDS = 10


class ServerFault(Exception):
    """A server does not do what it should: the others are measured all the same."""


def environment(folder, needed):
    """The folder of the programs of a virtual environment with these packages."""
    ready = folder / "installed"
    if not ready.exists() or ready.read_text().split() != needed:
        venv.create(folder, with_pip=True, clear=True)
        pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *needed], check=True)
        ready.write_text("\n".join(needed))
    return folder / "bin"


def free_port():
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def server(command, folder, port, settings):
    """Runs a server in a folder, waits until it answers, and ends it with all that it started."""
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), **settings}
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(command, cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=log, start_new_session=True)
    try:
        wait_until_it_answers(process, folder, port)
        yield process.pid
    finally:
        end_group(process)


def output_of(command):
    """What a program prints. It is ended with all that it started where this script is."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        output, _ = process.communicate()
    except BaseException:
        end_group(process)
        raise
    if process.returncode:
        raise ServerFault(f"{command[0]} failed")
    return output


def end_group(process):
    """Ends a process and all that it started. The group is its own, so this reaches nothing else."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + ENDING_SECONDS
        while time.monotonic() < deadline:
            process.poll()
            try:
                os.killpg(process.pid, sign)
            except ProcessLookupError:
                return
            time.sleep(0.1)


def wait_until_it_answers(process, folder, port):
    deadline = time.monotonic() + STARTING_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://{HOST}:{port}/", timeout=30).close()
            return
        except (urllib.error.URLError, OSError):
            if process.poll() is not None or time.monotonic() > deadline:
                raise ServerFault(f"{process.args[0]} does not start:\n{(folder / 'log').read_text()}")
            time.sleep(0.2)


class Browser:
    """A person's browser: it keeps cookies and follows redirects."""

    def __init__(self, port):
        self.site = f"http://{HOST}:{port}"
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def cookie(self, name):
        return next((cookie.value for cookie in self.jar if cookie.name == name), "")

    def cookies(self):
        """All of them, as a header."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)

    def open(self, path):
        return self._send("GET", path, None, {})

    def post_form(self, path, fields):
        return self._send("POST", path, urllib.parse.urlencode(fields).encode(), {"Referer": self.site + path})

    def post_json(self, path, value):
        headers = {"Content-Type": "application/json", "X-CSRFToken": self.cookie("csrftoken")}
        return json.loads(self._send("POST", path, json.dumps(value).encode(), headers))

    def _send(self, method, path, body, headers):
        request = urllib.request.Request(self.site + path, body, headers, method=method)
        try:
            with self.opener.open(request, timeout=120) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise ServerFault(f"{method} {path}: {error.code}: {error.read().decode()[:500]}") from error
        except OSError as error:
            raise ServerFault(f"{method} {path}: {error}") from error
