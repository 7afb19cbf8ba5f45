// Keeps each answer in the browser until the server confirms it, and makes everything work by keyboard:
// 1 to 5 answer the current question, Enter continues. Without this script the page is a plain form.
const form = document.querySelector("#questions");
const said = document.querySelector("#saved");
const questions = [...form.querySelectorAll("[data-question]")];
const missing = form.querySelector("#missing");
const { save, reading, participant } = form.dataset;
const storageKey = `reading ${participant}`;
const tab = crypto.randomUUID();
// After this long without a key, a click or a pointer move, the participant counts as idle.
const IDLE = 60_000;
let sending = false;
let leaving = false;
let wait = 1000;
let timer;

// The answers to this text, and others that the server does not have yet. Stored answers are kept as
// `sent`: a page that was requested before an answer was stored does not contain it.
function kept() {
  try {
    return JSON.parse(localStorage.getItem(storageKey)) ?? [];
  } catch {
    return [];
  }
}

function keep(answers) {
  if (answers.length) localStorage.setItem(storageKey, JSON.stringify(answers));
  else localStorage.removeItem(storageKey);
}

// An answer's value is its displayed place.
function waiting() {
  return kept().filter(({ sent }) => !sent);
}

function say(text) {
  if (said.textContent !== text) said.textContent = text;
}

// Active time from the first view to the last action: pauses count up to IDLE at most, hidden pages
// not at all. For a question it is the time since the previous action.
const spent = new Map([["", 0]]);
let last = performance.now();

function act(question) {
  const now = performance.now();
  const passed = Math.min(now - last, IDLE);
  last = now;
  spent.set("", spent.get("") + passed);
  if (question) spent.set(question, (spent.get(question) ?? 0) + passed);
}

for (const kind of ["pointerdown", "pointermove", "keydown", "scroll"]) {
  addEventListener(kind, ({ target }) => act(target.closest?.("[data-question]")?.dataset.question), { passive: true });
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) send();
  else last = performance.now();
});

function times() {
  return [...spent].map(([question, ms]) => ({
    reading,
    tab,
    active_ms: Math.round(ms),
    ...(question && { question }),
  }));
}

async function send() {
  clearTimeout(timer);
  if (sending) return;
  sending = true;
  const answers = waiting();
  try {
    const answer = await fetch(save, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ batch: { answers, spent: times() } }),
      keepalive: true,
    });
    if (!answer.ok && answer.status < 500 && answer.status !== 429) {
      const refusal = await answer.json().catch(() => ({}));
      return say(Object.values(refusal)[0] ?? "This session cannot continue. Reload the page.");
    }
    if (!answer.ok) throw new Error(answer.status);
    // For each answer the reason why it was refused, or nothing where it is stored.
    const reasons = await answer.json();
    const outcomes = new Map(answers.map(({ id }, at) => [id, reasons[at]]));
    const stays = kept().filter(({ id }) => !outcomes.get(id));
    keep(stays.map((it) => (outcomes.has(it.id) ? { ...it, sent: true } : it)));
    wait = 1000;
    say(
      reasons.find(Boolean) ?? (answers.length ? "Saved" : said.textContent.startsWith("No") ? "" : said.textContent),
    );
  } catch {
    say("No connection: your answers are kept in this browser, and sent when it is back.");
    timer = setTimeout(send, wait);
    wait = Math.min(wait * 2, 15_000);
    return;
  } finally {
    sending = false;
  }
  if (waiting().length) return send();
  if (leaving) form.submit();
}

// Questions without an answer are listed in the page, with a link to each, and not in the browser's bubble.
form.noValidate = true;

const unanswered = () => questions.filter((it) => !it.querySelector(":checked"));

function linkTo(question) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `#${question.id}`;
  link.textContent = question.querySelector("legend").textContent;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    question.querySelector("input[type=radio]").focus();
  });
  item.append(link);
  return item;
}

function listMissing() {
  const open = unanswered();
  for (const question of questions) {
    const note = question.querySelector(".missing-note");
    const isOpen = open.includes(question);
    note.hidden = !isOpen;
    if (isOpen) {
      question.setAttribute("aria-invalid", "true");
      question.setAttribute("aria-describedby", note.id);
    } else {
      question.removeAttribute("aria-invalid");
      question.removeAttribute("aria-describedby");
    }
  }
  missing.hidden = open.length === 0;
  missing.querySelector("p").textContent =
    open.length === 1 ? "One question has no answer yet:" : `${open.length} questions have no answer yet:`;
  missing.querySelector("ul").replaceChildren(...open.map(linkTo));
}

form.addEventListener("change", ({ target }) => {
  if (!missing.hidden) listMissing();
  const question = target.closest("[data-question]").dataset.question;
  act(question);
  const answers = kept().filter((it) => it.question !== question);
  keep([...answers, { id: crypto.randomUUID(), reading, question, choice: target.value }]);
  say("Saving …");
  send();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (unanswered().length) {
    listMissing();
    return missing.focus();
  }
  leaving = true;
  send();
});

// The current question: where the focus is, else the first without an answer.
function atHand() {
  return document.activeElement?.closest?.("[data-question]") ?? unanswered()[0];
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("a, button, summary, textarea, select")) return;
  if (/^[1-5]$/.test(event.key)) {
    const question = atHand() ?? questions.at(-1);
    question.querySelectorAll("input[type=radio]")[event.key - 1].click();
    const next = questions.slice(questions.indexOf(question) + 1).find((it) => !it.querySelector(":checked"));
    (next ?? question).querySelector("input[type=radio]:checked, input[type=radio]").focus();
    event.preventDefault();
  } else if (event.key === "Enter") {
    event.preventDefault();
    form.requestSubmit();
  }
});

addEventListener("online", send);

// Answers that were chosen before the page was reloaded, and are not in it.
keep(kept().filter((it) => !it.sent || it.reading === reading));
for (const { question, choice } of kept()) {
  const field = questions.find((it) => it.dataset.question === question);
  const chosen = field?.querySelector(`input[value="${choice}"]`);
  if (chosen) chosen.checked = true;
}
if (waiting().length) send();
else if (form.querySelector("input[type=radio]:checked")) say("Saved");
document.body.dataset.ready = "";
