// Hides the suggestion of a break once it was dismissed, as long as the session lasts. It runs before
// the page is shown: the suggestion must not appear and vanish.
{
  const hint = document.getElementById("break-hint");
  const button = hint.querySelector("button");
  const storageKey = "rankrate/break";
  let dismissed;
  try {
    dismissed = localStorage.getItem(storageKey);
  } catch {
    // The browser keeps nothing: the suggestion can be dismissed on this page only.
  }
  if (dismissed === hint.dataset.since) hint.remove();
  button.hidden = false;
  button.addEventListener("click", () => {
    try {
      localStorage.setItem(storageKey, hint.dataset.since);
    } catch {
      // As above.
    }
    hint.remove();
  });
}
