/**
 * `debug` gets a line for each answer, and for each request that will be repeated; `warn` one for each mistake of the program,
 * such as an error in a function of `serveTools`. `console` is one.
 */
export interface Logger {
  debug(message: string): void;
  /** Without it, `debug` gets these lines. */
  warn?(message: string): void;
}

/** Without a logger, the mistakes of the program are said on the console. */
export const defaultLogger: Logger = {
  debug: () => {},
  // oxlint-disable-next-line no-console -- without a logger, errors of tool functions would be invisible
  warn: (message) => console.warn(`agent-run-client: ${message}`),
};

/** Logs a mistake of the program. */
export function warn(logger: Logger, message: string): void {
  if (logger.warn) logger.warn(message);
  else logger.debug(message);
}
