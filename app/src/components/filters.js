// Filters act at once: a form of choices is sent as soon as one of them changes, and then needs no button. What is
// typed, and boxes of a group, of which several are chosen together, wait for the button.
const forms = [...document.querySelectorAll("form.asked, form.search")];
const changed = `rankrate/filter ${location.pathname}`;
// Arrow keys pass through the options of a list: the form waits until they rest.
const rest = 700;
let byKeys = false;
let timer;

const actsAtOnce = (field) => field.matches("select, input[type=checkbox]") && !field.closest("fieldset");

for (const form of forms) {
  const fields = [...form.querySelectorAll("select, input:not([type=hidden])")];
  if (fields.every(actsAtOnce)) form.querySelector("button").hidden = true;
}

document.addEventListener("keydown", () => (byKeys = true), true);
document.addEventListener("pointerdown", () => (byKeys = false), true);
document.addEventListener("change", ({ target }) => {
  const form = target.form;
  if (!forms.includes(form) || !actsAtOnce(target)) return;
  const send = () => {
    // First, as storage can be forbidden.
    form.requestSubmit();
    sessionStorage.setItem(changed, target.name);
  };
  clearTimeout(timer);
  timer = setTimeout(send, byKeys ? rest : 0);
});

// The page that it leads to has the focus where it was.
const name = sessionStorage.getItem(changed);
sessionStorage.removeItem(changed);
for (const form of forms) {
  if (name) form.querySelector(`[name="${CSS.escape(name)}"]`)?.focus({ preventScroll: true });
}
