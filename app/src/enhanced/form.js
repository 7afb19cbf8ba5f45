// Sends forms without leaving the page: a refusal appears in the form, next to what was typed, and success leads
// to the same page as without this script.
const lost = "The server cannot be reached. Check the connection and try again.";
const unreadable = "The answer could not be read. The page may be out of date: reload it.";

// A script that sends files and shows how far it is sets `transfer` of their form.
function post(form, fields) {
  const body = form.getAttribute("enctype") ? fields : new URLSearchParams(fields);
  return fetch(form.getAttribute("action"), { method: "POST", headers: { accept: "text/plain" }, body });
}

function setBusy(form, busy) {
  form.setAttribute("aria-busy", busy);
  // Not `disabled`: that would take the focus off the button.
  for (const button of form.querySelectorAll("button:not([type=button])")) {
    if (busy) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

function refuse(form, sentence) {
  const alert = document.createElement("p");
  alert.className = "alert";
  alert.tabIndex = -1;
  alert.textContent = sentence;
  form.querySelector(".form-alert").append(alert);
  alert.focus();
}

// Where the address is the current page, it is loaded exactly once: a second load would lose its message.
function goTo(address) {
  if (!address) return location.reload();
  const to = new URL(address, location.href);
  // Going to the same address with a place on the page would only scroll.
  if (to.hash && to.pathname + to.search === location.pathname + location.search) {
    location.hash = to.hash;
    location.reload();
  } else location.href = address;
}

document.addEventListener("submit", async (event) => {
  const { target: form, submitter } = event;
  if (!form.matches("form[data-enhanced]") || event.defaultPrevented) return;
  event.preventDefault();
  if (form.getAttribute("aria-busy") === "true") return;
  const fields = new FormData(form);
  if (submitter?.name) fields.append(submitter.name, submitter.value);
  form.querySelector(".form-alert").replaceChildren();
  setBusy(form, true);
  try {
    const answer = await (form.transfer ?? post)(form, fields);
    if (answer.ok) return goTo(answer.headers.get("location"));
    const isSentence = answer.headers.get("content-type")?.startsWith("text/plain");
    refuse(form, isSentence ? await answer.text() : unreadable);
  } catch (error) {
    if (error.name !== "AbortError") refuse(form, lost);
  }
  setBusy(form, false);
});

// A page that the browser kept, and shows again after a step back, can send its forms again.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) for (const form of document.querySelectorAll("form[data-enhanced]")) setBusy(form, false);
});
