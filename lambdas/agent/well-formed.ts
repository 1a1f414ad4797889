/**
 * A JSON value whose texts are all Unicode: half a surrogate pair, which JSON can hold and UTF-8 can't, makes providers
 * refuse the whole request, and every later one of the conversation. What JSON leaves out is left out.
 */
export function wellFormed<Value>(value: Value): Value {
  return copy(value) as Value;
}

function copy(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name.toWellFormed(), copy(each)]));
}
