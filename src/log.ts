/** The lowest level that is written. `error` omits the progress of turns; tests set `off`. */
export const logging: { level: "info" | "error" | "off" } = { level: "info" };

/**
 * Writes one line of JSON to stderr: on AWS, the log group of the function. `fields` are ids, counts and errors, never
 * inputs, outputs, file contents or keys.
 */
export function log(level: "info" | "error", message: string, fields: Record<string, unknown>): void {
  if (logging.level === "off" || (logging.level === "error" && level === "info")) return;
  // Lambda treats a line without `timestamp` as one of level INFO and adds a timestamp.
  const entry = { timestamp: new Date().toISOString(), level, message, ...fields };
  process.stderr.write(`${JSON.stringify(entry, describeErrors)}\n`);
}

function describeErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return cause === undefined ? { name, message, stack } : { name, message, stack, cause };
}
