import { useEffect, useState } from "preact/hooks";

/** What is being loaded. `value` stays while new is loaded. */
export interface Loaded<Value> {
  value?: Value;
  error?: string;
  loading: boolean;
}

/** Loads a value when its key changes. `key` undefined: nothing is loaded. */
export function useLoaded<Value>(key: string | undefined, load: () => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<Loaded<Value> & { key?: string }>({ loading: false });
  useEffect(() => {
    if (key === undefined) return;
    let current = true;
    setState((before) => ({ ...(before.value !== undefined && { value: before.value }), loading: true }));
    load().then(
      (value) => current && setState({ key, value, loading: false }),
      (error: unknown) => {
        if (current) setState({ key, error: error instanceof Error ? error.message : String(error), loading: false });
      },
    );
    return () => {
      current = false;
    };
  }, [key]);
  return state;
}
