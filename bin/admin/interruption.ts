/** The exit code of a command that Ctrl-C has ended. */
export const interrupted = 130;

/** A signal that Ctrl-C aborts. Until it is disposed, Ctrl-C does not end the process. */
export function onInterrupt(): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.on("SIGINT", abort);
  return { signal: controller.signal, [Symbol.dispose]: () => void process.off("SIGINT", abort) };
}
