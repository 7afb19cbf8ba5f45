"""Label Studio, started as its documentation says: `label-studio start`, which is Django's threaded server, one
process, on SQLite. Only its telemetry and its look for a newer version are off.

A task is a source with 24 outputs, each with a slider; each annotator has a task of their own. One save is the page's
autosave while a task is open, which updates the annotator's draft: PATCH /api/drafts/ID. The draft holds the values of
all sliders. (How many there are makes no difference to the time that it takes.)
"""

import contextlib
import json

from .running import HOST, Browser, ServerFault, environment, free_port, server

NEEDED = ["label-studio==1.23.2"]
OUTPUTS = 24
LEAD = {"email": "lead@example.org", "password": "password-of-lead"}
SETTINGS = {"COLLECT_ANALYTICS": "false", "LATEST_VERSION_CHECK": "false", "SENTRY_DSN": "",
            "FRONTEND_SENTRY_DSN": ""}


class LabelStudio:
    name = "Label Studio 1.23.2"

    def __init__(self, target):
        self.folder = target / "bench-data" / "label-studio"
        self.programs = environment(target / "bench-label-studio-python", NEEDED)
        self.annotators = []
        self.drafts = []

    @contextlib.contextmanager
    def running(self):
        self.port = free_port()
        command = [self.programs / "label-studio", "start", "--no-browser", "--data-dir", self.folder / "data",
                   "--internal-host", HOST, "--port", str(self.port),
                   "--username", LEAD["email"], "--password", LEAD["password"]]
        (self.folder / "data").mkdir()
        with server(command, self.folder, self.port, SETTINGS) as self.process:
            self.lead = Browser(self.port)
            self.lead.open("/user/login/")
            token = self.lead.cookie("csrftoken")
            self.lead.post_form("/user/login/", {"csrfmiddlewaretoken": token, **LEAD})
            self.project = self.lead.post_json("/api/projects/", study())["id"]
            self.invitation = json.loads(self.lead.open("/api/invite"))["invite_url"]
            yield

    def plan(self, annotators):
        """The requests of that many annotators, who sign up and begin a task if they have not yet."""
        for number in range(len(self.annotators), annotators):
            browser = self._sign_up(number)
            draft = browser.post_json(f"/api/tasks/{self._add_task(number)}/drafts?project={self.project}",
                                      self._draft("0"))
            self.drafts.append(draft["id"])
            # The first slider is moved again and again.
            request = {"method": "PATCH", "path": f"/api/drafts/{draft['id']}?project={self.project}",
                       "body": self._draft_text("{value}"), "expect": '"value":{"number":{value}}'}
            headers = {"content-type": "application/json", "cookie": browser.cookies()}
            self.annotators.append({"headers": headers, "requests": [request]})
        return {"address": f"{HOST}:{self.port}", "process": self.process, "annotators": self.annotators}

    def _sign_up(self, number):
        browser = Browser(self.port)
        browser.open(self.invitation)
        browser.post_form(self.invitation, {
            "csrfmiddlewaretoken": browser.cookie("csrftoken"), "email": f"annotator-{number}@example.org",
            "password": f"password-of-{number}"})
        if not browser.cookie("sessionid"):
            raise ServerFault("Label Studio signs nobody up")
        return browser

    def _add_task(self, number):
        task = {"source": f"The source number {number} has about as many words as a sentence that people simplify."}
        for output in range(OUTPUTS):
            task[f"output{output}"] = f"Source {number} has about as many words as others, in the words of {output}."
        path = f"/api/projects/{self.project}/import?return_task_ids=true"
        return self.lead.post_json(path, [task])["task_ids"][0]

    def _draft_text(self, first):
        """A draft as the page sends it; `first` is the value of the first slider."""
        values = [first, *(str(30 + output) for output in range(1, OUTPUTS))]
        result = ", ".join(
            f'{{"id": "region{output}", "from_name": "rating{output}", "to_name": "output{output}", '
            f'"type": "number", "origin": "manual", "value": {{"number": {value}}}}}'
            for output, value in enumerate(values))
        return (f'{{"lead_time": 12.5, "result": [{result}], "draft_id": 0, "parent_prediction": null, '
                f'"parent_annotation": null, "started_at": "2026-01-01T00:00:00.000Z", "project": "{self.project}"}}')

    def _draft(self, first):
        return json.loads(self._draft_text(first))

    def stored(self, _request):
        """The value of the first slider in the first annotator's draft."""
        draft = json.loads(self.lead.open(f"/api/drafts/{self.drafts[0]}/"))
        return draft["result"][0]["value"]["number"]


def study():
    rows = "".join(f'<Text name="output{output}" value="$output{output}"/>'
                   f'<Number name="rating{output}" toName="output{output}" min="0" max="100" slider="true"/>'
                   for output in range(OUTPUTS))
    return {"title": "Ratings", "label_config": f'<View><Text name="source" value="$source"/>{rows}</View>'}
