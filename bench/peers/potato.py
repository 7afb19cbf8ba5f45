"""Potato, started as its documentation says: `potato start`, which is Flask's threaded server, one process.

One save is the page's autosave after a slider was moved: POST /updateinstance, with the values of all sliders of the
item that were moved so far. For each, the server writes the file of the annotator's state again, with fsync, and
appends to their history. Its server closes the connection after each answer, so each save has one of its own.

The study is laid out in two ways. With 24 outputs a page, as ours has them, an item is a source, and each save carries
24 values. With one output a page a save carries one value, and the annotator would open the next item after it; that
page is left out.
"""

import contextlib
import json

from .running import HOST, Browser, ServerFault, environment, free_port, server

NEEDED = ["potato-annotation==2.12.1"]
OUTPUTS = 24


class Potato:
    def __init__(self, target, outputs_a_page):
        self.name = f"Potato 2.12.1, {'one output' if outputs_a_page == 1 else f'{outputs_a_page} outputs'} a page"
        self.outputs_a_page = outputs_a_page
        self.folder = target / "bench-data" / f"potato-{outputs_a_page}"
        self.programs = environment(target / "bench-potato-python", NEEDED)
        self.annotators = []

    @contextlib.contextmanager
    def running(self):
        self.port = free_port()
        self._write_study()
        command = [self.programs / "potato", "start", "config.yaml", "-p", str(self.port), "--host", HOST]
        with server(command, self.folder, self.port, {}) as self.process:
            yield

    def _write_study(self):
        items = [{"id": f"item-{first}", "text": self._item_text(first)}
                 for first in range(0, OUTPUTS, self.outputs_a_page)]
        sliders = [{"annotation_type": "slider", "name": f"rating{place}", "min_value": 0, "max_value": 100,
                    "starting_value": 50, "description": f"How good is output {place + 1}?"}
                   for place in range(self.outputs_a_page)]
        study = {"annotation_task_name": "Ratings", "task_dir": ".", "output_annotation_dir": "annotation_output",
                 "data_files": ["items.json"], "item_properties": {"id_key": "id", "text_key": "text"},
                 "annotation_schemes": sliders}
        (self.folder / "items.json").write_text(json.dumps(items))
        # JSON is YAML.
        (self.folder / "config.yaml").write_text(json.dumps(study))

    def _item_text(self, first):
        texts = ["The source has about as many words as a sentence that people simplify."]
        texts += [f"It has about as many words as others, in the words of {output}."
                  for output in range(first, first + self.outputs_a_page)]
        return "<br>".join(texts)

    def plan(self, annotators):
        """The requests of that many annotators, who register if they have not yet."""
        for number in range(len(self.annotators), annotators):
            browser = Browser(self.port)
            browser.post_form("/register", {"email": f"annotator-{number}", "pass": f"password-{number}"})
            # Opening the page gives the annotator items.
            if "item-" not in browser.open("/annotate"):
                raise ServerFault("Potato gives an annotator no item")
            self.annotators.append({
                "headers": {"content-type": "application/json", "cookie": browser.cookies()},
                "requests": [self._request(output) for output in range(OUTPUTS)],
            })
        return {"address": f"{HOST}:{self.port}", "process": self.process, "annotators": self.annotators}

    def _place(self, output):
        """The item of an output, and the place of its slider there."""
        place = output % self.outputs_a_page
        return f"item-{output - place}", place

    def _request(self, output):
        item, moved = self._place(output)
        values = {f"rating{place}:slider": "{value}" if place == moved else str(30 + place)
                  for place in range(self.outputs_a_page)}
        body = {"instance_id": item, "annotations": values, "cleared_schemas": [], "span_annotations": [],
                "client_timestamp": "2026-01-01T00:00:00.000Z", "response_time_seconds": 2.5}
        return {"method": "POST", "path": "/updateinstance", "body": json.dumps(body),
                "expect": '"status":"success"'}

    def stored(self, output):
        """The rating of an output in the file of the first annotator's state."""
        item, place = self._place(output)
        file = self.folder / "annotation_output" / "annotator-0" / "user_state.json"
        labels = json.loads(file.read_text())["instance_id_to_label_to_value"][item]
        return next(int(value) for label, value in labels if label["schema"] == f"rating{place}")
