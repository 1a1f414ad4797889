// Source text, because a bundler's helper functions would be missing in a function's own source. `performance.now` is
// bound here, because the shell replaces it while it runs.
const patch = `
  const { load, wait } = Atomics;
  const now = performance.now.bind(performance);
  Atomics.wait = (view, index, value, timeout = Infinity) => {
    const end = now() + timeout;
    for (;;) {
      const result = wait(view, index, value, Math.max(0, end - now()));
      if (result !== "ok" || load(view, index) !== value) return result;
    }
  };
`;

/**
 * URL of a module that makes `Atomics.wait` return only when the value has changed. A process imports it before
 * everything else, so that its threads have it, too.
 *
 * In just-bash 3.4.2, Python's thread asks the shell's thread for one file operation after the other. A late
 * notification of one operation wakes the wait for the next, which then counts as failed: "[Errno 29] I/O error". On a
 * busy machine this happens once in many thousand operations. sqlite/sqlite-wasm#12 describes the same race.
 *
 * No upstream issue found. Remove this when a version after just-bash 3.4.2 passes
 * test/integration/sandbox/slow-threads.test.ts without it.
 */
export const atomicsWaitPatchUrl = `data:text/javascript,${encodeURIComponent(patch)}`;
