// Shows the page's times in the browser's own time zone, near ones as "2 hours ago". The full time is
// their title. Without scripts they are in UTC.
const minute = 60e3;
const hour = 60 * minute;
const day = 24 * hour;
const style = (options) => new Intl.DateTimeFormat("en-GB", options);
const clock = style({ hour: "2-digit", minute: "2-digit" });
const weekday = style({ weekday: "long" });
const date = style({ day: "numeric", month: "short", year: "numeric" });
const longDate = style({ day: "numeric", month: "long", year: "numeric" });
const full = style({ dateStyle: "full", timeStyle: "long" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const exact = (at) => `${date.format(at)}, ${clock.format(at)}`;

// Calendar days from today, in the browser's time zone.
function daysAway(at, now) {
  const midnight = (time) => new Date(time).setHours(0, 0, 0, 0);
  return Math.round((midnight(at) - midnight(now)) / day);
}

const forms = {
  exact,
  day: (at) => longDate.format(at),
  relative(at, now) {
    const away = at - now;
    const size = Math.abs(away);
    if (size >= 7 * day) return exact(at);
    if (size >= day) return relative.format(daysAway(at, now), "day");
    if (size >= hour) return relative.format(Math.trunc(away / hour), "hour");
    if (size >= minute) return relative.format(Math.trunc(away / minute), "minute");
    return away > 0 ? "in a moment" : "just now";
  },
  visit(at, now) {
    const days = daysAway(at, now);
    if (days > 0 || days <= -7) return exact(at);
    const name = days < -1 ? weekday.format(at) : relative.format(days, "day");
    return `${name} ${clock.format(at)}`;
  },
};

function show() {
  const now = Date.now();
  for (const time of document.querySelectorAll("time[data-form]")) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    const text = forms[time.dataset.form](at, now);
    if (time.textContent !== text) time.textContent = text;
    time.title = full.format(at);
  }
}

show();
// The live parts of a page come from the server, and time passes.
document.addEventListener("redrawn", show);
setInterval(show, minute);
