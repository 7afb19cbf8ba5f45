// Has the service worker keep this page and its files, so that it can be reloaded without a network. The page
// names them itself, since it may have been loaded before the worker was active.
const { base, script, wasm } = document.documentElement.dataset;

async function keep() {
  await navigator.serviceWorker.register(`${base}/service-worker.js`);
  const { active } = await navigator.serviceWorker.ready;
  const files = [...document.querySelectorAll("link[rel=stylesheet], script[src]")];
  const { laterSteps } = document.querySelector("[data-later-steps]").dataset;
  active?.postMessage({ keep: [location.href, script, wasm, laterSteps, ...files.map((it) => it.href ?? it.src)] });
}

// Browsers have service workers on https and on localhost only. Where this fails, the page works as before,
// with a network.
if (navigator.serviceWorker) keep().catch(() => {});
