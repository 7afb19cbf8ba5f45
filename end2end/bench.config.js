import config from "./playwright.config.js";

// One at a time, on a machine that does nothing else.
export default { ...config, testDir: "bench", workers: 1 };
