{
  const form = document.querySelector("form[data-sign-out]");
  const { signOut: person, script } = form.dataset;
  const tabs = new BroadcastChannel(`rankrate${document.documentElement.dataset.base}/sign-out`);
  tabs.onmessage = async () => (await import(script)).forget();

  let under = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (under) return;
    under = true;
    const goes = await import(script).then(({ tidy }) => tidy(person)).catch(() => true);
    under = false;
    if (!goes) return;
    tabs.postMessage("");
    form.submit();
  });
}
