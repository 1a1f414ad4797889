/** Keeps the last `maxEntries` values that were used. */
export interface BoundedCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

export function boundedCache<Value>(maxEntries: number): BoundedCache<Value> {
  const values = new Map<string, Value>(); // least recently used first
  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      values.delete(key);
      values.set(key, value);
      for (const oldest of values.keys()) {
        if (values.size <= maxEntries) return;
        values.delete(oldest);
      }
    },
    delete: (key) => void values.delete(key),
  };
}
