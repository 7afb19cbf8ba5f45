// Charts as files: the drawing as SVG or PNG, its values as CSV. Nothing is asked of the server.

// What a drawing that stands alone must say itself, for there no style sheet does.
const styles = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "font-family", "font-size", "font-weight", "font-variant-numeric",
  "text-anchor", "dominant-baseline",
];

const save = (blob, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};

// RFC 4180. A cell's `data-value` is exact where what is shown is rounded.
const csv = (figure) => {
  const cell = (it) => {
    const text = it.dataset.value ?? it.textContent;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = [...figure.querySelectorAll("table tr")];
  const text = rows.map((row) => [...row.cells].map(cell).join(",") + "\r\n").join("");
  return new Blob([text], { type: "text/csv" });
};

const alone = (svg) => {
  const copy = svg.cloneNode(true);
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const from = [svg, ...svg.querySelectorAll("*")];
  for (const [place, to] of [copy, ...copy.querySelectorAll("*")].entries()) {
    const computed = getComputedStyle(from[place]);
    for (const name of styles) to.setAttribute(name, computed.getPropertyValue(name));
    to.removeAttribute("class");
    to.removeAttribute("tabindex");
  }
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", width);
  ground.setAttribute("height", height);
  ground.setAttribute("fill", getComputedStyle(svg.closest("figure")).backgroundColor);
  copy.prepend(ground);
  const text = new XMLSerializer().serializeToString(copy);
  return { width, height, blob: new Blob([text], { type: "image/svg+xml" }) };
};

// Twice as many points as the drawing has units: sharp on paper, too.
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

for (const figure of document.querySelectorAll("figure.chart")) {
  const svg = figure.querySelector("svg");
  const make = { SVG: () => alone(svg).blob, PNG: () => png(svg), CSV: () => csv(figure) };
  for (const button of figure.querySelectorAll("button[data-download]")) {
    const kind = button.dataset.download;
    button.addEventListener("click", async () => {
      save(await make[kind](), `${figure.dataset.file}.${kind.toLowerCase()}`);
    });
  }
  figure.querySelector(".chart-downloads").hidden = false;
}
