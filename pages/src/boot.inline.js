const { script, wasm } = document.documentElement.dataset;
const islands = document.querySelectorAll("leptos-island");

function ready() {
  document.body.dataset.hydrated = "";
}

if (islands.length > 0) {
  const app = await import(script);
  await app.default({ module_or_path: wasm });
  await app.hydrate();
  for (const island of islands) {
    island.parentElement.closest("leptos-children")?.$$on_hydrate?.();
    await app[island.dataset.component](island);
  }
  ready();
} else {
  addEventListener("DOMContentLoaded", ready);
}
