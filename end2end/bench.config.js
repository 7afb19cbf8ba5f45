import config from "./playwright.config.js";

// One at a time, on a machine that does nothing else, and without a trace, whose snapshots take the page's time.
export default { ...config, testDir: "bench", workers: 1, use: { ...config.use, trace: "off" } };
