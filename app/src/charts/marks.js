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

// Also for charts that a live page replaces.
document.addEventListener("redrawn", begin);
begin();
