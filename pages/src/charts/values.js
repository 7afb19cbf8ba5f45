// The values of charts: as tables, which are loaded when they are opened, and as files: the drawing as SVG or
// PNG, its values as CSV.

// Properties that a separate drawing needs inline, as it has no style sheet. All of them are inherited,
// so an element states only where it differs from its parent.
const styles = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-opacity",
  "stroke-width",
  "stroke-linejoin",
  "stroke-dasharray",
  "font-family",
  "font-size",
  "font-weight",
  "font-variant-numeric",
  "text-anchor",
];
const margin = 16;

const save = (blob, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

// Whether a spreadsheet would run a cell, as in `formats::is_formula`. These files are never imported
// again, so such cells are always guarded.
const isFormula = (text) =>
  (/^[\t\r\n]/.test(text) || /^\s*[=+\-@＝＋－＠]/.test(text)) &&
  !(text.trim() === text && Number.isFinite(Number(text)));

// Loads a table of values, from the page on which it is open. Answers whether it is there.
const load = async (fold) => {
  const place = fold.querySelector("[data-later]");
  if (!place) return true;
  place.textContent = "Loading…";
  try {
    const answer = await fetch(place.dataset.later);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const table = page.querySelector(`[data-fold="${fold.dataset.fold}"] .table-scroll`);
    // A refusal, or a chart that the page no longer has.
    if (!table) throw new Error("the page has no such table");
    place.replaceWith(table);
    return true;
  } catch {
    place.textContent = "The values could not be loaded. Check your connection, then close and open this again.";
    return false;
  }
};

// RFC 4180. A cell's `data-value` is exact where what is shown is rounded.
const csv = async (figure) => {
  const fold = figure.querySelector("details[data-fold]");
  if (!(await load(fold))) {
    // It says what failed.
    fold.open = true;
    return;
  }
  const cell = (it) => {
    const value = it.dataset.value ?? it.textContent;
    const text = isFormula(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = [...figure.querySelectorAll("table tr")];
  const text = rows.map((row) => `${[...row.cells].map(cell).join(",")}\r\n`).join("");
  return new Blob([text], { type: "text/csv" });
};

// The words around a drawing: for each line its text, size, weight and colour.
const origin = document.getElementById("chart-origin")?.dataset ?? {};
let bare = false;

const words = (figure) => {
  const [ink, soft] = ["h2", "figcaption p"].map((part) => getComputedStyle(figure.querySelector(part)).color);
  const text = (part) => figure.querySelector(part).textContent;
  const basis = figure.dataset.basis && `n = ${figure.dataset.basis}`;
  return {
    above: [
      { text: text("h2"), size: 18, weight: 600, fill: ink },
      { text: text("figcaption p"), size: 13, weight: 400, fill: soft },
    ],
    below: [
      { text: [basis, origin.study, origin.date].filter(Boolean).join(" · "), size: 12, weight: 400, fill: soft },
    ],
  };
};

// Breaks a text into lines that fit.
const broken = ({ text, size, weight }, family, width) => {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${weight} ${size}px ${family}`;
  const lines = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
};

const element = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

// Writes blocks of words from a height on; answers with the elements and the height below them.
const written = (blocks, family, width, from) => {
  const elements = [];
  let y = from;
  for (const block of blocks) {
    for (const line of broken(block, family, width)) {
      y += 1.4 * block.size;
      const made = element("text", {
        x: 0,
        y,
        fill: block.fill,
        "font-family": family,
        "font-size": `${block.size}px`,
        "font-weight": block.weight,
      });
      made.textContent = line;
      elements.push(made);
    }
  }
  return { elements, end: y };
};

// A colour as every viewer reads it: few know one that is transparent.
const paint = (value) => (value === "rgba(0, 0, 0, 0)" ? "none" : value);

// Few viewers know `paint-order`: the edge of words, which lies below them, becomes an element of its own.
const drawEdgesBelow = (edged) => {
  for (const words of edged) {
    const edge = words.cloneNode(true);
    edge.setAttribute("fill", edge.getAttribute("stroke"));
    edge.setAttribute("aria-hidden", "true");
    words.before(edge);
    words.setAttribute("stroke", "none");
  }
};

// A copy of the drawing in the colours for paper, whatever the page's theme is; unless it is wanted bare,
// with its title above, and its numbers, study and date below.
const alone = (svg) => {
  const figure = svg.closest("figure");
  figure.classList.add("on-paper");
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll("*")];
  const edged = [];
  for (const [place, to] of [copy, ...copy.querySelectorAll("*")].entries()) {
    const own = getComputedStyle(from[place]);
    const around = place > 0 ? getComputedStyle(from[place].parentElement) : null;
    for (const name of styles) {
      const value = own.getPropertyValue(name);
      if (value !== around?.getPropertyValue(name)) to.setAttribute(name, paint(value));
      else to.removeAttribute(name);
    }
    if (own.paintOrder.startsWith("stroke")) edged.push(to);
    for (const name of ["class", "tabindex", "data-tip", "href"]) to.removeAttribute(name);
  }
  drawEdgesBelow(edged);
  const paper = getComputedStyle(figure).backgroundColor;
  const family = getComputedStyle(figure).fontFamily;
  const { above, below } = words(figure);
  figure.classList.remove("on-paper");

  const box = svg.viewBox.baseVal;
  const wide = bare ? box.width : Math.max(box.width, 420);
  let [top, bottom] = [0, box.height];
  if (!bare) {
    const head = written(above, family, wide, 0);
    top = -(head.end + 14);
    for (const line of head.elements) line.setAttribute("y", Number(line.getAttribute("y")) + top);
    const foot = written(below, family, wide, box.height + 6);
    bottom = foot.end + 4;
    copy.append(...head.elements, ...foot.elements);
  }
  const width = wide + 2 * margin;
  const height = bottom - top + 2 * margin;
  const size = { width, height };
  for (const [name, value] of Object.entries(size)) copy.setAttribute(name, value);
  copy.setAttribute("viewBox", `${-margin} ${top - margin} ${width} ${height}`);
  copy.prepend(element("rect", { x: -margin, y: top - margin, ...size, fill: paper }));
  const text = new XMLSerializer().serializeToString(copy);
  return { ...size, blob: new Blob([text], { type: "image/svg+xml" }) };
};

// Two pixels for each unit of the drawing, so that it is also sharp on paper.
const png = async (svg) => {
  const { width, height, blob } = alone(svg);
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = Math.ceil(2 * height);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
};

const make = {
  SVG: (figure) => alone(figure.querySelector("svg")).blob,
  PNG: (figure) => png(figure.querySelector("svg")),
  CSV: csv,
};

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-download]");
  if (!button) return;
  const figure = button.closest("figure.chart");
  const kind = button.dataset.download;
  const blob = await make[kind](figure);
  if (blob) save(blob, `${figure.dataset.file}.${kind.toLowerCase()}`);
});

// Tables and explanations that are open are named in the address, so that it can be shared.
const folds = () => [...document.querySelectorAll("details[data-fold]")];
const opened = () =>
  folds()
    .filter((fold) => fold.open)
    .map((fold) => fold.dataset.fold);
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (!target.dataset?.fold) return;
    if (target.open) load(target);
    const address = new URL(location.href);
    address.searchParams.delete("open");
    for (const name of opened()) address.searchParams.append("open", name);
    history.replaceState(history.state, "", address);
  },
  true,
);
// Another choice of ratings keeps them open.
document.addEventListener("formdata", ({ target, formData }) => {
  if (target.matches("form.asked")) for (const name of opened()) formData.append("open", name);
});

// One switch for all charts of the page.
document.addEventListener("change", ({ target }) => {
  if (!target.matches("[data-bare]")) return;
  bare = target.checked;
  show();
});

// Also for charts that a live page replaces.
const show = () => {
  for (const downloads of document.querySelectorAll(".chart-downloads")) downloads.hidden = false;
  for (const box of document.querySelectorAll("[data-bare]")) box.checked = bare;
};
document.addEventListener("redrawn", show);
show();
