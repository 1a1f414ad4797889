/** The exit code of a command that Ctrl-C has ended. */
export const interrupted = 130;

/** A signal that Ctrl-C aborts, or another of `signals`. Until it is disposed, these do not end the process. */
export function onInterrupt(signals: NodeJS.Signals[] = ["SIGINT"]): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const each of signals) process.on(each, abort);
  const dispose = (): void => signals.forEach((each) => process.off(each, abort));
  return { signal: controller.signal, [Symbol.dispose]: dispose };
}
