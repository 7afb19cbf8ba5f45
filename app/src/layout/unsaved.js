// Keeps unsaved input of a page's forms. A page may hold several forms, and saving one of them reloads
// the page: the input of the others is kept in this tab's sessionStorage and restored. Leaving the page
// with unsaved input asks for confirmation first.
const storageKey = `unsaved ${location.pathname}`;
const skipped = "[type=hidden], [type=password], [type=file]";
const editable = `:is(input, select, textarea):not(${skipped})`;
// Forms on their way to the server, until it refuses them.
const sent = new Set();

const forms = () =>
  [...document.querySelectorAll("main form[method=post]")].filter((it) => !it.querySelector("[type=password]"));
const fields = (form) => [...form.elements].filter((it) => it.name && it.matches(editable));
const ticked = (field) => field.type === "checkbox" || field.type === "radio";

// A form is identified by the address it posts to and by its hidden fields, except for the state that
// it was rendered from ("was"), which changes once something is saved.
function key(form) {
  const about = [...form.elements].filter((it) => it.type === "hidden" && !/\bwas\b/.test(it.name));
  return JSON.stringify([form.getAttribute("action"), ...about.map((it) => [it.name, it.value])]);
}

function drawn(field) {
  if (ticked(field)) return field.defaultChecked;
  if (field.tagName !== "SELECT") return field.defaultValue;
  const options = [...field.options];
  return (options.find((it) => it.defaultSelected) ?? options[0])?.value ?? "";
}

const now = (field) => (ticked(field) ? field.checked : field.value);
const changed = (form) => fields(form).filter((field) => now(field) !== drawn(field));

function read(from) {
  try {
    return JSON.parse(sessionStorage.getItem(from)) ?? {};
  } catch {
    return {};
  }
}

function write(to, all) {
  try {
    if (Object.keys(all).length) sessionStorage.setItem(to, JSON.stringify(all));
    else sessionStorage.removeItem(to);
  } catch {
    // The browser's storage is full or forbidden: leaving the page still asks first.
  }
}

function keep() {
  const all = {};
  for (const form of forms()) {
    const typed = changed(form);
    form.toggleAttribute("data-unsaved", typed.length > 0);
    if (!typed.length) continue;
    const own = fields(form);
    const values = typed.map((field) => [own.indexOf(field), field.name, now(field)]);
    all[key(form)] = { values, sent: sent.has(form) };
  }
  write(storageKey, all);
}

function note(form) {
  const note = document.createElement("p");
  note.className = "unsaved-note";
  note.setAttribute("role", "status");
  const discard = document.createElement("button");
  discard.type = "button";
  discard.textContent = "Discard";
  discard.addEventListener("click", () => {
    form.reset();
    note.remove();
    keep();
  });
  note.append("Not saved yet: we kept what you typed here. ", discard);
  form.before(note);
}

function putBack() {
  const all = read(storageKey);
  // A form that was sent is saved, unless this page begins with a refusal, or asks to send it again.
  const refused = document.querySelector("main > :is(.alert, [data-send-again])") !== null;
  const restored = [];
  for (const form of forms()) {
    const entry = all[key(form)];
    if (!entry || (entry.sent && !refused)) continue;
    const own = fields(form);
    for (const [at, name, value] of entry.values) {
      const field = own[at]?.name === name ? own[at] : undefined;
      if (!field) continue;
      if (ticked(field)) field.checked = value;
      else field.value = value;
    }
    if (!changed(form).length) continue;
    form.closest("details")?.setAttribute("open", "");
    note(form);
    restored.push(form);
  }
  keep();
  return restored;
}

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, ({ target }) => {
    const form = target.form;
    if (form) sent.delete(form);
    keep();
  });
}
document.addEventListener("submit", ({ target }) => {
  if (!forms().includes(target)) return;
  sent.add(target);
  keep();
  // A refusal next to the fields: the page stays, and the form is not saved.
  const alert = target.querySelector(".form-alert");
  if (!alert) return;
  new MutationObserver((_, observer) => {
    if (!alert.textContent) return;
    observer.disconnect();
    sent.delete(target);
    keep();
  }).observe(alert, { childList: true, subtree: true });
});
addEventListener("beforeunload", (event) => {
  // Saving one form leads to the same page, where the others are restored.
  if (sent.size === 0 && forms().some((form) => changed(form).length)) event.preventDefault();
});

// The page that asks for the password: the form that led to it is not saved, whichever way people go back.
const cancel = document.querySelector("main a[data-cancel]");
if (cancel) {
  const left = `unsaved ${new URL(cancel.href).pathname}`;
  const all = read(left);
  for (const entry of Object.values(all)) entry.sent = false;
  write(left, all);
}
putBack();
