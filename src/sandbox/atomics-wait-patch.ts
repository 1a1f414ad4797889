// Text, as a bundler's helpers would be missing from a function's. The shell takes performance.now away while it runs.
const strictWait = `
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
 * A module to be imported by a process before all else, and so by its threads: with it, waiting for a value ends when the
 * value has changed, and not with any notification. In just-bash 3.4.2 Python's thread asks the shell's for one file
 * operation after the other; the notification of one that has ended may come when the thread already waits for the next,
 * which it then takes for failed: "[Errno 29] I/O error", on a busy machine once in many thousands.
 */
export const atomicsWaitPatchUrl = `data:text/javascript,${encodeURIComponent(strictWait)}`;
