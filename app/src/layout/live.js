// Keeps a page's live parts as the server would draw them now. The server tells the number of the
// study's newest event; where that is newer than the page, the page is fetched again, and each live
// part that is no longer the same takes the place of the old one.
const sign = document.querySelector("[data-news]");
const states = { live: "Live", waiting: "Not connected: trying again", out: "Signed out: reload the page" };
let known = Number(sign.dataset.event);
let source;
let wait = 1000;
let busy = false;
let again = false;
// What the server drew last, by part: scripts change what is on the page.
const drawn = new Map();

function say(state) {
  sign.dataset.state = state;
  if (sign.textContent !== states[state]) sign.textContent = states[state];
}

function connect() {
  source = new EventSource(`${sign.dataset.news}?after=${known}`);
  source.onopen = () => {
    wait = 1000;
    say("live");
  };
  source.onmessage = ({ data }) => {
    if (Number(data) > known) refresh();
  };
  // The browser comes back by itself where the network failed, and gives up where it was refused.
  source.onerror = () => {
    say("waiting");
    if (source.readyState === EventSource.CLOSED) later(connect);
  };
}

function later(then) {
  setTimeout(then, wait);
  wait = Math.min(wait * 2, 30000);
}

async function refresh() {
  again = busy;
  if (busy) return;
  busy = true;
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (answer.redirected) {
      source.close();
      return say("out");
    }
    if (!answer.ok) throw new Error(answer.status);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    take(fresh);
    known = Number(fresh.querySelector("[data-news]").dataset.event);
    say("live");
  } catch {
    say("waiting");
    later(refresh);
  } finally {
    busy = false;
    if (again) refresh();
  }
}

function take(fresh) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const anew = fresh.getElementById(part.id);
    if (!anew || anew.innerHTML === drawn.get(part)) continue;
    drawn.set(part, anew.innerHTML);
    // What somebody has open or is at stays so.
    const open = [...part.querySelectorAll("details")].map((details) => details.open);
    const scrolled = [...part.querySelectorAll(".chart-scroll, .table-scroll")].map((box) => box.scrollLeft);
    const at = place(part);
    part.replaceChildren(...anew.childNodes);
    part.querySelectorAll("details").forEach((details, n) => (details.open = open[n] ?? details.open));
    part.querySelectorAll(".chart-scroll, .table-scroll").forEach((box, n) => (box.scrollLeft = scrolled[n] ?? 0));
    if (at >= 0) part.querySelectorAll(reachable)[at]?.focus({ preventScroll: true });
    part.dispatchEvent(new CustomEvent("redrawn", { bubbles: true }));
  }
}

const reachable = "a, button, summary, input, select, [tabindex]";

function place(part) {
  return [...part.querySelectorAll(reachable)].indexOf(document.activeElement);
}

for (const part of document.querySelectorAll("[data-live]")) drawn.set(part, part.innerHTML);
connect();
