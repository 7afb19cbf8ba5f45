// Hydrates the page's islands, outermost first; a page without islands loads no WebAssembly.
const { script, wasm } = document.documentElement.dataset;
const islands = document.querySelectorAll("leptos-island");
if (islands.length > 0) {
  const app = await import(script);
  await app.default({ module_or_path: wasm });
  app.hydrate();
  for (const island of islands) {
    island.parentElement.closest("leptos-children")?.$$on_hydrate?.();
    await app[island.dataset.component](island);
  }
}
document.body.dataset.hydrated = "";
