// Keeps a page's live parts up to date. The server sends the number of the study's newest event;
// where that is newer than the page, the page is fetched again, and each live part that has changed
// is replaced.
const sign = document.querySelector("[data-news]");
const states = { live: "Live", waiting: "Not connected: trying again", out: "Signed out: reload the page" };
const reachable = "a, button, summary, input, select, [tabindex]";
// The server's last HTML of each part: scripts change what is on the page.
const drawn = new Map();
let known = Number(sign.dataset.event);
let newest = known;
let source;
let timer;
let wait = 1000;
let fetching = false;

function say(state) {
  sign.dataset.state = state;
  if (sign.textContent !== states[state]) sign.textContent = states[state];
}

function connect() {
  source?.close();
  source = new EventSource(`${sign.dataset.news}?after=${known}`);
  source.onopen = () => {
    wait = 1000;
    say("live");
  };
  source.onmessage = ({ data }) => {
    newest = Math.max(newest, Number(data));
    if (newest > known) refresh();
  };
  // The browser reconnects automatically after a network failure, and gives up after a refusal:
  // then the page itself shows whether that is permanent.
  source.onerror = () => {
    say("waiting");
    if (source.readyState === EventSource.CLOSED) later(refresh);
  };
}

function later(then, after = wait) {
  clearTimeout(timer);
  timer = setTimeout(then, after);
  if (after === wait) wait = Math.min(wait * 2, 30000);
}

async function refresh() {
  if (fetching || document.hidden) return;
  fetching = true;
  const begun = performance.now();
  try {
    const answer = await fetch(location.href, { cache: "no-store", headers: { "x-in-background": "1" } });
    if (answer.redirected || [401, 403, 404].includes(answer.status)) {
      source.close();
      return say("out");
    }
    if (!answer.ok) throw new Error(answer.status);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    take(fresh);
    known = Number(fresh.querySelector("[data-news]").dataset.event);
    say("live");
    if (source.readyState === EventSource.CLOSED) connect();
    // Ask a slow server less often.
    else if (newest > known) later(refresh, Math.max(500, 3 * (performance.now() - begun)));
  } catch {
    say("waiting");
    later(refresh);
  } finally {
    fetching = false;
  }
}

// The value of a checkbox never changes, and is not its default where it has none.
const isChanged = (it) =>
  /checkbox|radio/.test(it.type) ? it.checked !== it.defaultChecked : it.value !== it.defaultValue;

function take(fresh) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const updated = fresh.getElementById(part.id);
    if (!updated || updated.innerHTML === drawn.get(part)) continue;
    // Never discard what the user is typing: such a part waits for the next event.
    if ([...part.querySelectorAll("form :is(input, textarea)")].some(isChanged)) continue;
    if (part.querySelector("[data-unsaved]")) continue;
    drawn.set(part, updated.innerHTML);
    // Keep what is open, and the focus.
    const open = [...part.querySelectorAll("details")].map((details) => details.open);
    const scrolled = [...part.querySelectorAll(".chart-scroll, .table-scroll")].map((box) => box.scrollLeft);
    const at = [...part.querySelectorAll(reachable)].indexOf(document.activeElement);
    part.replaceChildren(...updated.childNodes);
    part.querySelectorAll("details").forEach((details, n) => {
      details.open = open[n] ?? details.open;
    });
    part.querySelectorAll(".chart-scroll, .table-scroll").forEach((box, n) => {
      box.scrollLeft = scrolled[n] ?? 0;
    });
    if (at >= 0) part.querySelectorAll(reachable)[at]?.focus({ preventScroll: true });
    part.dispatchEvent(new CustomEvent("redrawn", { bubbles: true }));
  }
}

// A browser allows few connections, so a hidden page closes its own and catches up when it is shown.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) source.close();
  else connect();
});

for (const part of document.querySelectorAll("[data-live]")) drawn.set(part, part.innerHTML);
connect();
