// Reloads the page once it no longer says that the next source is being prepared.
const timer = setInterval(async () => {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { cache: "no-store", headers: { "x-in-background": "1" } });
    if (answer.ok && (await answer.text()).includes('id="preparing"')) return;
  } catch {
    return; // The network is down: try again next time.
  }
  clearInterval(timer);
  location.reload();
}, 2000);
