// The browser fades between two pages. Where it cannot, because the window changed its size meanwhile, say, nothing is
// missing, and no error belongs in the console. This part runs before the page is shown.
for (const moment of ["pageswap", "pagereveal"]) {
  addEventListener(moment, ({ viewTransition }) => viewTransition?.ready.catch(() => {}));
}
