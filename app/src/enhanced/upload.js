// Uploads with their progress: how much has been sent, how long the rest takes, and a way to cancel. Files can
// also be dropped on their field.
const KB = 1024;
const MB = KB * KB;

function size(bytes) {
  if (bytes < KB) return `${bytes} bytes`;
  return bytes < MB ? `${Math.round(bytes / KB)} KB` : `${(bytes / MB).toFixed(1)} MB`;
}

function timeLeft(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 10) return "a few seconds left";
  if (minutes < 1) return "less than a minute left";
  if (minutes === 1) return "about a minute left";
  return minutes < 90 ? `about ${minutes} minutes left` : `about ${Math.round(minutes / 60)} hours left`;
}

// Closing the page would end the upload.
function ask(event) {
  event.preventDefault();
}

// Sends the fields of a form, as `fetch` would, and shows how far they are.
function transfer(form, fields) {
  const panel = form.querySelector(".upload");
  const bar = panel.querySelector("progress");
  const numbers = panel.querySelector(".numbers");
  const state = form.querySelector(".upload-state");
  const request = new XMLHttpRequest();
  const begun = performance.now();

  function show({ loaded, total }) {
    const seconds = (performance.now() - begun) / 1000;
    const percent = Math.floor((100 * loaded) / total);
    bar.value = percent;
    const sent = `${size(loaded)} of ${size(total)} (${percent} %)`;
    // The first second says little about the rest.
    const rest = seconds > 1 && loaded < total ? `, ${timeLeft((seconds * (total - loaded)) / loaded)}` : "";
    numbers.textContent = sent + rest;
  }

  function end(words) {
    removeEventListener("beforeunload", ask);
    panel.hidden = true;
    state.textContent = words;
  }

  bar.value = 0;
  numbers.textContent = "";
  panel.hidden = false;
  state.textContent = "Uploading …";
  addEventListener("beforeunload", ask);
  panel.querySelector("button").onclick = () => request.abort();
  return new Promise((resolve, reject) => {
    request.upload.onprogress = show;
    request.upload.onload = (event) => {
      show(event);
      state.textContent = "Everything has arrived. The server is reading it …";
    };
    request.onload = () => {
      end("");
      const headers = {};
      for (const name of ["content-type", "location"]) {
        const value = request.getResponseHeader(name);
        if (value) headers[name] = value;
      }
      resolve(new Response(request.responseText, { status: request.status, headers }));
    };
    request.onerror = () => {
      end("");
      reject(new TypeError("no connection"));
    };
    request.onabort = () => {
      end("The upload was cancelled. Nothing of it was kept.");
      form.querySelector("button:not([type=button])")?.focus();
      reject(new DOMException("cancelled", "AbortError"));
    };
    request.open("POST", form.getAttribute("action"));
    request.setRequestHeader("accept", "text/plain");
    request.send(fields);
  });
}

const carriesFiles = ({ dataTransfer }) => dataTransfer?.types.includes("Files");

// The sentence below the field: how to drop files, or how much is chosen.
function hint(input) {
  const files = [...input.files];
  if (files.length === 0) return input.multiple ? "Or drop the files here." : "Or drop the file here.";
  const total = size(files.reduce((sum, file) => sum + file.size, 0));
  return files.length === 1 ? `${files[0].name}, ${total}` : `${files.length} files, ${total}`;
}

function take(input, { dataTransfer }) {
  const isFolder = [...dataTransfer.items].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
  if (isFolder) return "This is a folder: drop the files in it.";
  if (dataTransfer.files.length > 1 && !input.multiple) return "Drop one file only.";
  input.files = dataTransfer.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
  return hint(input);
}

function prepare(zone) {
  const input = zone.querySelector("input[type=file]");
  const words = zone.querySelector(".drop-hint");
  const over = (on) => zone.toggleAttribute("data-over", on);
  input.form.transfer = transfer;
  words.hidden = false;
  words.textContent = hint(input);
  input.addEventListener("change", () => {
    words.textContent = hint(input);
    input.form.querySelector(".upload-state").textContent = "";
  });
  zone.addEventListener("dragover", (event) => over(carriesFiles(event)));
  zone.addEventListener("dragleave", ({ relatedTarget }) => over(zone.contains(relatedTarget)));
  zone.addEventListener("drop", (event) => {
    over(false);
    if (!carriesFiles(event)) return;
    event.preventDefault();
    words.textContent = take(input, event);
  });
}

// A file that is dropped next to the field would replace the page.
for (const kind of ["dragover", "drop"]) {
  addEventListener(kind, (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    if (!event.target.closest?.(".drop-zone")) event.dataTransfer.dropEffect = "none";
  });
}

function begin() {
  for (const zone of document.querySelectorAll(".drop-zone:not([data-ready])")) {
    zone.dataset.ready = "";
    prepare(zone);
  }
}

document.addEventListener("redrawn", begin);
begin();
