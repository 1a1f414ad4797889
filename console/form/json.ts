/** A value that JSON can express. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** An agent's definition while it is edited: any JSON object, right or wrong. */
export type Draft = { [name: string]: Json };

/** Where a value is in a draft: field names and list positions. */
export type Path = (string | number)[];

/** `limits.steps`, `mcp.0.url`. */
export function pathText(path: Path): string {
  return path.join(".");
}

export function isObject(value: unknown): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as the text of an input: texts as they are, others as JSON. */
export function textOf(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The value at a path. Undefined: there is none. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let found: Json | undefined = value;
  for (const part of path) {
    if (Array.isArray(found) && typeof part === "number") found = found[part];
    else if (isObject(found) && Object.hasOwn(found, part)) found = found[part];
    else return undefined;
  }
  return found;
}

/**
 * A copy with another value at a path. Undefined removes the field or the list's entry. An object that thereby becomes
 * empty is removed, too, so that a cleared group of fields leaves nothing behind.
 */
export function withValue(draft: Draft, path: Path, value: Json | undefined): Draft {
  return (replaced(draft, path, value) as Draft | undefined) ?? {};
}

function replaced(of: Json | undefined, [part, ...rest]: Path, value: Json | undefined): Json | undefined {
  if (part === undefined) return value;
  if (typeof part === "number") {
    const list = Array.isArray(of) ? [...of] : [];
    const entry = replaced(list[part], rest, value);
    if (entry !== undefined) list[part] = entry;
    else if (rest.length === 0) list.splice(part, 1);
    else list[part] = {}; // an entry of a list stays until it is removed itself
    return list;
  }
  const fields: { [name: string]: Json } = isObject(of) ? { ...of } : {};
  const field = replaced(fields[part], rest, value);
  if (field === undefined) delete fields[part];
  else fields[part] = field;
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Whether two values are the same, whatever the order of their fields. */
export function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((entry, index) => isEqual(entry, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].every((name) => isEqual(one[name], other[name]));
  }
  return one === other;
}
