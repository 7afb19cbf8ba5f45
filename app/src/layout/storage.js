// Asks the browser to keep unsent answers also when it needs room. Some browsers ask the person, who is
// not asked again at every source: once per tab.
const asked = "rankrate/storage-asked";

async function ask() {
  const { storage } = navigator;
  if (!storage?.persist || sessionStorage.getItem(asked) || (await storage.persisted())) return;
  sessionStorage.setItem(asked, "yes");
  await storage.persist();
}

// Where storage is forbidden, there is nothing to keep.
ask().catch(() => {});
