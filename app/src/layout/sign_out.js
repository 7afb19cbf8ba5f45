// What happens before a person is signed out, so that none of their texts stay in the browser. Answers that wait are sent
// first. If the server does not take them, the person chooses: signed out, they stay, and are sent when this person signs
// in again. Few pages need it, so it is loaded on demand, by sign_out.inline.js.
const { base } = document.documentElement.dataset;
const stores = ["changes", "known"];
/** As many as the workspace sends at once. */
const BATCH = 50;
const PATIENCE_MS = 20_000;

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The outbox of the workspace; fails where there is none, and makes none. */
function openOutbox() {
  const request = indexedDB.open(`rankrate${base}`, 1);
  request.onupgradeneeded = () => request.transaction.abort();
  return done(request);
}

/** The person's changes that the server does not have, in their order. */
async function waiting(outbox, person) {
  const changes = outbox.transaction(stores).objectStore("changes");
  const [keys, records] = await Promise.all([done(changes.getAllKeys()), done(changes.getAll())]);
  const all = records.map((record, at) => ({ key: keys[at], ...JSON.parse(record) }));
  return all.filter((change) => change.person === person);
}

/** The next changes of one source that were not sent yet. */
function firstBatch(records) {
  const unsent = records.filter(({ state, v }) => state === "waiting" && v === 1);
  const end = unsent.findIndex(({ assignment }) => assignment !== unsent[0].assignment);
  return unsent.slice(0, Math.min(BATCH, end < 0 ? BATCH : end));
}

/** Sends what waits, and returns how many changes the server did not take. */
async function send(outbox, person) {
  for (;;) {
    const records = await waiting(outbox, person);
    const batch = firstBatch(records);
    if (batch.length === 0) return records.length;
    const { assignment } = batch[0];
    const changes = batch.map(({ change }) => change);
    const body = JSON.stringify({ batch: { person, assignment, changes, activity: [] } });
    const headers = { "content-type": "application/json", accept: "application/json" };
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const address = `${base}/api/work/save-changes/v1`;
    const answer = await fetch(address, { method: "POST", headers, body, signal }).catch(() => null);
    const { outcomes } = answer?.ok ? await answer.json() : { outcomes: [] };
    const saved = batch.filter((_, at) => outcomes[at]?.saved);
    const kept = outbox.transaction(stores, "readwrite").objectStore("changes");
    await Promise.all(saved.map(({ key }) => done(kept.delete(key))));
    // The workspace shows the others with the reason.
    if (saved.length < batch.length) return records.length - saved.length;
  }
}

/** Removes what this tab keeps: what was typed into forms, and the order of undo. */
export function forget() {
  for (const name of Object.keys(sessionStorage)) {
    if (/^(unsaved |rankrate\/history\/)/.test(name)) sessionStorage.removeItem(name);
  }
}

/** Whether the person still wants to sign out, once nothing of theirs is left but what could not be sent. */
export async function tidy(person) {
  const outbox = await openOutbox().catch(() => null);
  const left = outbox ? await send(outbox, person) : 0;
  const sentence =
    `${left} of your answers ${left === 1 ? "has" : "have"} not reached the server. If you sign out now, they stay in ` +
    "this browser, and are sent when you sign in here again and open the source. Sign out all the same?";
  if (left > 0 && !confirm(sentence)) return false;
  // Answers that the server has were kept for pages that work without a network, which sign-out removes as well.
  if (outbox) await done(outbox.transaction(stores, "readwrite").objectStore("known").clear());
  outbox?.close();
  forget();
  return true;
}
