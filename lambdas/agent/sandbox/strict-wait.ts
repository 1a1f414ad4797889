/**
 * In just-bash 3.4.2 Python's thread asks the shell's for one file operation after the other, by Atomics. The
 * notification of one that has ended may come when the thread already waits for the next, which it then takes for failed:
 * "[Errno 29] I/O error", on a busy machine once in many thousands. With this, waiting ends when the value has changed.
 */
function strictWait(): void {
  const { load, wait } = Atomics;
  const now = performance.now.bind(performance); // the shell takes it away while a script runs
  const waitForChange = (view: Int32Array, index: number, value: number, timeout = Infinity) => {
    const end = now() + timeout;
    for (;;) {
      const result = wait(view, index, value, Math.max(0, end - now()));
      if (result !== "ok" || load(view, index) !== value) return result;
    }
  };
  Atomics.wait = waitForChange as typeof Atomics.wait;
}

/** To be imported by a process before all else; its threads then do so, too. */
export const strictWaitModule = `data:text/javascript,${encodeURIComponent(`(${strictWait.toString()})()`)}`;
