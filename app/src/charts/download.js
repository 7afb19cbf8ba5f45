// Charts as files: the drawing as SVG or PNG, its values as CSV. The server is not involved.

// Properties that a separate drawing needs inline, as it has no style sheet. All of them are inherited,
// so an element states only where it differs from its parent.
const styles = [
  "fill",
  "fill-opacity",
  "stroke",
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

// RFC 4180. A cell's `data-value` is exact where what is shown is rounded.
const csv = (figure) => {
  const cell = (it) => {
    const value = it.dataset.value ?? it.textContent;
    const text = isFormula(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = [...figure.querySelectorAll("table tr")];
  const text = rows.map((row) => `${[...row.cells].map(cell).join(",")}\r\n`).join("");
  return new Blob([text], { type: "text/csv" });
};

// A copy of the drawing in the colours for paper, whatever the page's theme is.
const alone = (svg) => {
  const figure = svg.closest("figure");
  figure.classList.add("on-paper");
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll("*")];
  for (const [place, to] of [copy, ...copy.querySelectorAll("*")].entries()) {
    const own = getComputedStyle(from[place]);
    const around = place > 0 ? getComputedStyle(from[place].parentElement) : null;
    for (const name of styles) {
      const value = own.getPropertyValue(name);
      if (value !== around?.getPropertyValue(name)) to.setAttribute(name, value);
      else to.removeAttribute(name);
    }
    to.removeAttribute("class");
    to.removeAttribute("tabindex");
  }
  const paper = getComputedStyle(figure).backgroundColor;
  figure.classList.remove("on-paper");

  const width = svg.viewBox.baseVal.width + 2 * margin;
  const height = svg.viewBox.baseVal.height + 2 * margin;
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const size = { width, height };
  for (const [name, value] of Object.entries(size)) copy.setAttribute(name, value);
  copy.setAttribute("viewBox", `${-margin} ${-margin} ${width} ${height}`);
  const place = { x: -margin, y: -margin, ...size, fill: paper };
  for (const [name, value] of Object.entries(place)) ground.setAttribute(name, value);
  copy.prepend(ground);
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
  canvas.height = 2 * height;
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
  save(await make[kind](figure), `${figure.dataset.file}.${kind.toLowerCase()}`);
});

// Also for charts that a live page replaces.
const show = () => {
  for (const downloads of document.querySelectorAll(".chart-downloads")) downloads.hidden = false;
};
document.addEventListener("redrawn", show);
show();
