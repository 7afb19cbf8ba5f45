// Commands by key. A button or link with `data-command` is a command of the page; what the attribute holds
// stands before its name. `aria-keyshortcuts` names its keys, which press it wherever the focus is. Ctrl+K
// lists all commands, and the page's links once a person types. `data-opens` is the id of a dialog.
if (/Mac|iP(hone|ad|od)/.test(navigator.platform)) document.documentElement.dataset.apple = "";

const fields = "input:not([type=range], [type=radio]), textarea, select, [contenteditable]";
const most = 50;

function isUsable(element) {
  return !element.disabled && !element.closest("[inert]") && element.getClientRects().length > 0;
}

/** The name of a button or link, without what is only for the eye or only for the ear. */
function nameOf(element) {
  const label = element.getAttribute("aria-label");
  if (label) return label;
  const copy = element.cloneNode(true);
  for (const part of copy.querySelectorAll(".visually-hidden, [aria-hidden=true], script")) part.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
}

/** Buttons of one name are one command: sorting each list, for example. */
function collect(found, name, element, keys = "") {
  if (!name) return;
  const entry = found.get(name) ?? { name, keys, elements: [], isMain: element.matches(".primary") };
  entry.elements.push(element);
  found.set(name, entry);
}

function commands() {
  const found = new Map();
  for (const holder of document.querySelectorAll("[data-command]")) {
    const isOne = holder.matches("a, button");
    const element = isOne ? holder : holder.querySelector("a, button");
    if (!element || !isUsable(element)) continue;
    const name = `${holder.dataset.command} ${isOne ? nameOf(element) : ""}`.trim();
    collect(found, name, element, element.getAttribute("aria-keyshortcuts")?.split(" ")[0]);
  }
  // A group of pages and its first page have one address: the page's own name comes later, and stays.
  const pages = new Map();
  for (const link of document.querySelectorAll("nav.tabs a, [data-pages] a")) {
    pages.set(link.href, [nameOf(link), link]);
  }
  for (const [name, link] of pages.values()) collect(found, `Go to ${name}`, link);
  const all = [...found.values()];
  return [...all.filter(({ isMain }) => isMain), ...all.filter(({ isMain }) => !isMain)];
}

function links() {
  const found = new Map();
  for (const link of document.querySelectorAll("main a[href]:not([data-command], svg a)")) {
    const name = nameOf(link);
    if (!found.has(name) && isUsable(link)) collect(found, name, link);
  }
  return [...found.values()];
}

function readable(keys) {
  const control = document.documentElement.hasAttribute("data-apple") ? "⌘" : "Ctrl+";
  return keys.replace("Control+", control).replace("Enter", "↵");
}

let palette;

function element(name, attributes) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** The dialog with all commands: a text field, and the list of those that fit. */
function build() {
  const dialog = element("dialog", { class: "modal palette", "aria-label": "Commands" });
  const input = element("input", {
    type: "text",
    role: "combobox",
    "aria-label": "Command",
    "aria-expanded": "true",
    "aria-controls": "commands",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "Type a command",
  });
  const list = element("ul", { id: "commands", role: "listbox", "aria-label": "Commands" });
  const none = element("p", { class: "soft", role: "status" });
  dialog.append(input, list, none);
  document.body.append(dialog);
  let every = [];
  let shown = [];
  let at = 0;

  const mark = () => {
    for (const [number, option] of [...list.children].entries()) {
      option.setAttribute("aria-selected", String(number === at));
    }
    const current = list.children[at];
    if (current) input.setAttribute("aria-activedescendant", current.id);
    else input.removeAttribute("aria-activedescendant");
    current?.scrollIntoView({ block: "nearest" });
  };
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ name }) => words.every((word) => name.toLowerCase().includes(word));
    shown = [...every, ...(words.length > 0 ? links() : [])].filter(fits).slice(0, most);
    list.replaceChildren(
      ...shown.map(({ name, keys }, number) => {
        const option = element("li", { id: `command-${number}`, role: "option" });
        option.append(name);
        if (keys) {
          const hint = element("kbd", { "aria-hidden": "true" });
          hint.append(readable(keys));
          option.append(hint);
        }
        return option;
      }),
    );
    none.textContent = shown.length === 0 ? "No command has these words." : "";
    at = 0;
    mark();
  };
  const run = (number) => {
    const chosen = shown[number];
    if (!chosen) return;
    // First, as closing returns the focus to where it was.
    dialog.close();
    for (const button of chosen.elements) button.click();
  };

  input.addEventListener("input", filter);
  input.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) at = (at + by + shown.length) % Math.max(shown.length, 1);
    else if (event.key === "Enter" && !event.isComposing) run(at);
    else return;
    event.preventDefault();
    mark();
  });
  list.addEventListener("click", ({ target }) => run([...list.children].indexOf(target.closest("li"))));
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  return () => {
    every = commands();
    input.value = "";
    dialog.showModal();
    input.focus();
    filter();
  };
}

function listCommands() {
  palette ??= build();
  palette();
}

/** The keys of an event, as `aria-keyshortcuts` writes them. */
function keysOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  const name = key.length === 1 ? key.toUpperCase() : key;
  // A character such as ? already tells of Shift.
  const shift = shiftKey && (name.length > 1 || /[A-Z]/.test(name));
  return `${ctrlKey || metaKey ? "Control+" : ""}${altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${name}`;
}

addEventListener("keydown", (event) => {
  // Filling in a form by itself, a browser sends events without a key.
  if (event.defaultPrevented || event.isComposing || !event.key) return;
  const keys = keysOf(event);
  const open = document.querySelector("dialog[open]");
  if (keys === "Control+K" && (!open || open.matches(".palette"))) {
    event.preventDefault();
    if (open) open.close();
    else listCommands();
    return;
  }
  const field = event.target instanceof Element ? event.target.closest(fields) : null;
  const isMain = keys === "Control+Enter";
  if (open || (field && !isMain)) return;
  const named = [...document.querySelectorAll("[data-command][aria-keyshortcuts]")];
  const button = named.find((it) => it.getAttribute("aria-keyshortcuts").split(" ").includes(keys) && isUsable(it));
  if (!button) return;
  event.preventDefault();
  // A key that is held down does not hurry through the steps.
  if (isMain && event.repeat) return;
  // A field saves its text when it loses the focus.
  field?.blur();
  button.click();
});

document.addEventListener("click", ({ target }) => {
  const opener = target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
  if (target.closest("[data-lists-commands]")) listCommands();
  // A click outside a dialog has the dialog itself as its target.
  if (target.matches("dialog.modal[id]")) target.close();
});
