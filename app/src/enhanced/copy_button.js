// Copies a text to the clipboard. Browsers allow this on https and on one's own machine only.
function show() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
}

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-copy]");
  if (!button) return;
  const copied = navigator.clipboard.writeText(button.dataset.copy).then(
    () => "Copied.",
    () => "Your browser did not allow it: select the address and copy it.",
  );
  button.nextElementSibling.textContent = await copied;
});

document.addEventListener("redrawn", show);
show();
