// The marks of charts: one tab stop for each chart, and tips.
//
// Each chart is one tab stop: arrows move between its marks, Home and End go to the first and
// the last. Without this script every mark is a tab stop.
const marks = (drawing) => [...drawing.querySelectorAll(".mark[tabindex]")];

function stopAt(all, mark) {
  for (const other of all) other.setAttribute("tabindex", other === mark ? "0" : "-1");
}

function begin() {
  for (const drawing of document.querySelectorAll(".chart-scroll")) {
    const all = marks(drawing);
    if (!all.length) continue;
    stopAt(all, all.find((mark) => mark === document.activeElement) ?? all[0]);
    // The focus on a mark scrolls the drawing.
    drawing.setAttribute("tabindex", "-1");
  }
  // The browser's own tips come late, and never by touch or keyboard.
  for (const title of document.querySelectorAll(".chart-scroll title")) {
    title.parentElement.dataset.tip = title.textContent;
    title.remove();
  }
  hide();
  const mark = document.activeElement?.closest(".chart-scroll .mark");
  if (mark?.matches(":focus-visible")) show(mark);
}

// The nearest mark in that direction, preferring marks straight ahead.
function beside(all, mark, x, y) {
  const middle = (of) => {
    const box = of.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [left, top] = middle(mark);
  const far = (of) => {
    const [across, down] = middle(of);
    const [ahead, aside] = x ? [(across - left) * x, down - top] : [(down - top) * y, across - left];
    return ahead > 1 ? ahead + 3 * Math.abs(aside) : Infinity;
  };
  const nearest = all.map((of) => [far(of), of]).reduce((a, b) => (b[0] < a[0] ? b : a));
  return nearest[0] < Infinity ? nearest[1] : undefined;
}

const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

document.addEventListener("keydown", (event) => {
  const mark = event.target.closest?.(".chart-scroll .mark[tabindex]");
  if (!mark || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = marks(mark.closest(".chart-scroll"));
  const at = all.indexOf(mark);
  let to;
  if (event.key === "Home") to = all[0];
  else if (event.key === "End") to = all.at(-1);
  else if (ways[event.key]) {
    const [x, y] = ways[event.key];
    // In a single row or column the other pair of arrows also moves.
    to = beside(all, mark, x, y) ?? (beside(all, mark, -x, -y) ? undefined : all[at + x + y]);
  } else return;
  event.preventDefault();
  if (!to) return;
  stopAt(all, to);
  to.focus();
});

// A tip with the values of a mark, by pointer, focus and tap. It stays while the pointer is on the mark or
// on the tip, or the mark has the focus; Escape closes it.
const tip = document.createElement("div");
tip.className = "chart-tip";
tip.hidden = true;
// It repeats the mark's name.
tip.setAttribute("aria-hidden", "true");
document.body.append(tip);
let shown;
let closing;
// The mark whose tip was closed, until the pointer leaves it.
let dismissed;

// The mark under an element; the target around a dot stands for the dot.
function tipped(element) {
  const mark = element.closest?.(".chart-scroll :is([data-tip], .mark)");
  if (mark) return mark;
  const target = element.closest?.(".chart-scroll .reaches > a");
  return target?.ownerSVGElement.querySelector(".dots").children[[...target.parentNode.children].indexOf(target)];
}

function show(mark) {
  clearTimeout(closing);
  if (shown === mark) return;
  shown = mark;
  tip.textContent = mark.dataset.tip ?? mark.getAttribute("aria-label");
  tip.hidden = false;
  place();
}

// Above the mark, or below it where there is no room; never beyond the window.
function place() {
  const box = (shown.querySelector(".dot") ?? shown).getBoundingClientRect();
  const own = tip.getBoundingClientRect();
  const left = Math.min(Math.max(box.left + box.width / 2 - own.width / 2, 4), innerWidth - own.width - 4);
  const above = box.top - own.height - 6;
  tip.style.left = `${left}px`;
  tip.style.top = `${above < 4 ? box.bottom + 6 : above}px`;
}

function hide() {
  clearTimeout(closing);
  shown = undefined;
  tip.hidden = true;
}

const leave = () => {
  clearTimeout(closing);
  // Time to move the pointer onto the tip.
  closing = setTimeout(hide, 200);
};
const focused = () => shown?.matches(":focus");

document.addEventListener("pointerover", ({ target }) => {
  const mark = tipped(target);
  if (mark !== dismissed) dismissed = undefined;
  if (mark && mark !== dismissed) show(mark);
  else if (tip.contains(target)) clearTimeout(closing);
});
document.addEventListener("pointerout", ({ target, pointerType }) => {
  // A finger leaves the mark at once.
  if (pointerType === "touch" || focused()) return;
  if (shown && (tip.contains(target) || tipped(target) === shown)) leave();
});
document.addEventListener("pointerdown", ({ target }) => {
  if (shown && !tip.contains(target) && tipped(target) !== shown) hide();
});
// The first tap on a dot shows its values, the second one follows its link.
let tapped;
document.addEventListener("click", (event) => {
  const mark = event.pointerType === "touch" ? tipped(event.target) : undefined;
  if (mark?.href && mark !== tapped) event.preventDefault();
  tapped = mark;
});
document.addEventListener("focusin", ({ target }) => {
  const mark = target.closest(".chart-scroll .mark");
  if (mark?.matches(":focus-visible")) show(mark);
});
document.addEventListener("focusout", ({ target }) => {
  if (target === shown) hide();
});
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  dismissed = shown;
  hide();
});
document.addEventListener("scroll", () => shown && place(), { capture: true, passive: true });

// Also for charts that a live page replaces.
document.addEventListener("redrawn", begin);
begin();
