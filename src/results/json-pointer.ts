/** A name as a part of a JSON Pointer (RFC 6901). */
export function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The value at a JSON Pointer in a URI fragment, without its `#`. Undefined: there is none. */
export function valueAtPointer(root: object, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .map(nameOf)
    .reduce<unknown>((value, name) => {
      const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
      return isThere ? (value as Record<string, unknown>)[name] : undefined;
    }, root);
}

function nameOf(part: string): string {
  let name = part;
  try {
    name = decodeURIComponent(part);
  } catch {
    // Not percent-encoded: the name has a percent sign.
  }
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
