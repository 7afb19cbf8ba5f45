// Folds the text around a source where it has more lines than its place shows. Only attributes and the button's
// words change: the rest belongs to the workspace.
const isOpen = (button) => button.getAttribute("aria-expanded") === "true";

function measure() {
  for (const text of document.querySelectorAll(".context > p")) {
    const button = text.nextElementSibling;
    if (isOpen(button)) continue;
    button.hidden = text.firstElementChild.offsetHeight <= text.clientHeight + 1;
  }
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest(".context > button");
  if (!button) return;
  const opens = !isOpen(button);
  button.setAttribute("aria-expanded", String(opens));
  button.firstChild.data = opens ? "Show less" : "Show more";
});

const size = new ResizeObserver(measure);
for (const text of document.querySelectorAll(".context > p")) size.observe(text);
document.fonts.ready.then(measure);
