// Compact rows, remembered in this browser. This part runs before the rows are drawn, so that they do
// not change their height in sight.
{
  const storageKey = "rankrate/rows";
  const root = document.documentElement;
  const isCompact = () => root.dataset.rows === "compact";
  const show = () => {
    for (const button of document.querySelectorAll("[data-compact]")) {
      button.setAttribute("aria-pressed", String(isCompact()));
    }
  };
  try {
    if (localStorage.getItem(storageKey)) root.dataset.rows = localStorage.getItem(storageKey);
  } catch {
    // Where storage is forbidden, rows are compact until the page is left.
  }
  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("click", ({ target }) => {
    if (!target.closest("[data-compact]")) return;
    root.dataset.rows = isCompact() ? "roomy" : "compact";
    show();
    try {
      localStorage.setItem(storageKey, root.dataset.rows);
    } catch {
      // As above.
    }
  });
}
