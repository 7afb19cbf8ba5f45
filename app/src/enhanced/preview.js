// Shows the text of a Markdown field as the server renders it, below the field.
const failed = "The preview could not be made. Check the connection and try again.";

async function render(address, text) {
  const body = new URLSearchParams({ text });
  const answer = await fetch(address, { method: "POST", headers: { accept: "text/plain" }, body });
  if (answer.ok) return { html: await answer.json() };
  const isSentence = answer.headers.get("content-type")?.startsWith("text/plain");
  return { refusal: isSentence ? await answer.text() : failed };
}

function draw({ html, refusal }, label) {
  const page = document.createElement(refusal ? "p" : "div");
  page.dataset.previewed = "";
  if (refusal) {
    page.className = "alert";
    page.setAttribute("role", "alert");
    page.textContent = refusal;
  } else {
    page.className = "prose preview";
    page.setAttribute("role", "region");
    page.setAttribute("aria-label", label);
    // The server has sanitised it.
    page.innerHTML = html;
  }
  return page;
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-preview] button");
  if (!button) return;
  const actions = button.closest("[data-preview]");
  const next = actions.nextElementSibling;
  const isOpen = next?.matches("[data-previewed]");
  if (isOpen) next.remove();
  else {
    const { preview, label } = actions.dataset;
    const text = actions.previousElementSibling.querySelector("textarea").value;
    const page = draw(await render(preview, text).catch(() => ({ refusal: failed })), label);
    // Pressed twice meanwhile.
    if (actions.nextElementSibling?.matches("[data-previewed]")) return;
    actions.after(page);
  }
  button.setAttribute("aria-expanded", !isOpen);
  button.textContent = isOpen ? "Preview" : "Close preview";
});

function show() {
  for (const actions of document.querySelectorAll("[data-preview]")) actions.hidden = false;
}

document.addEventListener("redrawn", show);
show();
