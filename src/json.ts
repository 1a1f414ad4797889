/** How deep JSON from outside may be nested. What walks it recursively, JSON.stringify too, fails at thousands. */
export const maxJsonDepth = 100;

/** Where a JSON text gets nested too deep, as the end of what is not; undefined when it nowhere does. */
export function findExcessiveDepth(json: string): number | undefined {
  let levels = 0;
  // Not by a regular expression: those overflow the stack on a string of a megabyte.
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === "]" || character === "}") levels--;
    else if (character === "[" || character === "{") levels++;
    if (levels > maxJsonDepth) return at + 1;
  }
  return undefined;
}

/** The closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}

/** Whether a JSON value is an object, and neither a list nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A JSON value whose texts are all Unicode: half a surrogate pair, which JSON can hold and UTF-8 can't, makes providers
 * refuse the whole request, and every later one of the conversation. What JSON leaves out is left out.
 */
export function toWellFormed<Value>(value: Value): Value {
  return copy(value) as Value;
}

function copy(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name.toWellFormed(), copy(each)]));
}
