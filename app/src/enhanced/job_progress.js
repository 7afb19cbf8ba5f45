// Asks once a second how far the jobs on the page are, and reloads the page once one of them is over.
let timer;

const parts = () => [...document.querySelectorAll("[data-progress]")];

// Shows how far a job is; whether it is over.
async function update(part) {
  const { progress, slug, job } = part.dataset;
  const body = new URLSearchParams({ slug, job });
  const answer = await fetch(progress, { method: "POST", headers: { accept: "application/json" }, body });
  if (!answer.ok) throw new Error(answer.status);
  // 100 alone once the job is over; before, the percentage, a space and the job's last message.
  const far = await answer.json();
  if (far === "100") return true;
  const [percent, ...words] = far.split(" ");
  part.querySelector("progress").value = percent;
  part.querySelector("[role=status] span").textContent = percent;
  part.querySelector(".soft").textContent = words.join(" ");
  return false;
}

async function poll() {
  for (const part of document.hidden ? [] : parts()) {
    // The server may be back soon.
    if (await update(part).catch(() => false)) return location.reload();
  }
  begin();
}

function begin() {
  clearTimeout(timer);
  if (parts().length) timer = setTimeout(poll, 1000);
}

document.addEventListener("redrawn", begin);
begin();
