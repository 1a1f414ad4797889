/** The value of a name that a document chose. Undefined for an inherited property: a name can be `__proto__`. */
export function ownValue<T>(values: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
