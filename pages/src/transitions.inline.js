for (const moment of ["pageswap", "pagereveal"]) {
  addEventListener(moment, ({ viewTransition }) => viewTransition?.ready.catch(() => {}));
}
