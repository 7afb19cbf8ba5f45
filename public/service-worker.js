// Caches the workspace and the files it needs, so that it can be reloaded without a network.
//
// Pages come from the network first. Without a network the cached page is shown, and the workspace
// adds the answers that the browser has stored. Nothing else is served from here: no server
// function, no download and no other page.

const PAGES = "pages-1";
const FILES = "files-1";
/** A network that takes longer than this to answer counts as missing. */
const PATIENCE_MS = 5_000;
/** At most this many pages are cached; the oldest are deleted. */
const MOST_PAGES = 12;

const base = new URL(self.registration.scope).pathname;
const isWork = ({ pathname }) => /^s\/[^/]+\/work\/[^/]+$/.test(pathname.slice(base.length));
const isFile = ({ pathname }) => pathname.startsWith(`${base}pkg/`) || pathname === `${base}icon.svg`;
const isWayOut = ({ pathname }) => /^(login|api\/log[-_]?out)/.test(pathname.slice(base.length));

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => event.waitUntil(begin()));

async function begin() {
  for (const name of await caches.keys()) {
    if (name !== PAGES && name !== FILES) await caches.delete(name);
  }
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin || !url.pathname.startsWith(base)) return;
  if (isWayOut(url)) {
    // Whoever logs in next on this device may be somebody else.
    event.waitUntil(caches.delete(PAGES));
  } else if (request.method === "GET" && request.mode === "navigate" && isWork(url)) {
    event.respondWith(page(event));
  } else if (request.method === "GET" && isFile(url)) {
    event.respondWith(file(event));
  }
});

/** A page that was loaded before the worker started sends its own address and those of its files. */
self.addEventListener("message", (event) => {
  if (event.data?.keep) event.waitUntil(keep(event.data.keep));
});

async function keep(addresses) {
  for (const address of addresses) {
    const url = new URL(address, self.location.href);
    if (url.origin !== self.location.origin) continue;
    const name = isWork(url) ? PAGES : isFile(url) ? FILES : null;
    const cache = name && (await caches.open(name));
    if (!cache || (await cache.match(url))) continue;
    const headers = { "x-in-background": "1" };
    const response = await fetch(url, { credentials: "same-origin", headers }).catch(() => null);
    if (response?.ok && !response.redirected) await cache.put(url, response);
  }
}

async function page(event) {
  const cache = await caches.open(PAGES);
  try {
    const response = await fetch(event.request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (response.ok && !response.redirected) event.waitUntil(keepPage(cache, event.request.url, response.clone()));
    return response;
  } catch (error) {
    const kept = await cache.match(event.request.url);
    if (kept) return kept;
    throw error;
  }
}

async function keepPage(cache, url, response) {
  await cache.delete(url);
  await cache.put(url, response);
  const kept = await cache.keys();
  for (const old of kept.slice(0, Math.max(0, kept.length - MOST_PAGES))) await cache.delete(old);
}

async function file(event) {
  const cache = await caches.open(FILES);
  const kept = await cache.match(event.request.url);
  if (kept) return kept;
  const response = await fetch(event.request);
  if (response.ok) event.waitUntil(cache.put(event.request.url, response.clone()));
  return response;
}
