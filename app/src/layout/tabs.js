// On a narrow screen each row of tabs scrolls: the current tab is moved into view, and an edge fades
// where there are more.
for (const tabs of document.querySelectorAll(".tabs")) {
  const current = tabs.querySelector("[aria-current]");
  if (!current) continue;
  const box = current.getBoundingClientRect();
  const around = tabs.getBoundingClientRect();
  tabs.scrollLeft += box.left - around.left - (around.width - box.width) / 2;
  const fade = () => {
    tabs.toggleAttribute("data-before", tabs.scrollLeft > 1);
    tabs.toggleAttribute("data-after", tabs.scrollLeft + tabs.clientWidth < tabs.scrollWidth - 1);
  };
  tabs.addEventListener("scroll", fade, { passive: true });
  new ResizeObserver(fade).observe(tabs);
  fade();
}
