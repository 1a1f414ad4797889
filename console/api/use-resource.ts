import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { reached } from "../state/connection.ts";
import { ApiError } from "./client.ts";
import { poll } from "./poll.ts";

/** Something that a page reads. Old data stays while new data loads. */
export interface Resource<Data> {
  /** Undefined until the first response. */
  data: Data | undefined;
  /** Why the last attempt failed. A connection that is interrupted is not an error: the shell reports it. */
  error: ApiError | undefined;
  reload: () => Promise<void>;
  /** Puts the response of a change in the place of what was read. */
  replace: (data: Data) => void;
}

/**
 * Reads while the component is rendered: at once, when `key` changes, and every `intervalMs`.
 * `key`: what is read. Undefined: nothing.
 */
export function useResource<Data>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<Data>,
  intervalMs = 0,
): Resource<Data> {
  const [state, setState] = useState<{ key?: string | undefined; data?: Data; error?: ApiError }>({});
  const latest = useRef(read);
  latest.current = read;

  const load = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      try {
        const data = await latest.current(signal);
        if (!signal.aborted) setState({ key, data });
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) throw error;
        setState((before) => ({ ...(before.key === key && before), key, error }));
      }
    },
    [key],
  );

  useEffect(() => {
    if (key === undefined) return undefined;
    const controller = new AbortController();
    const once = async (): Promise<void> => {
      await load(controller.signal);
      reached();
      if (intervalMs === 0) controller.abort();
    };
    void poll(intervalMs || 2_000, controller.signal, once);
    return () => controller.abort();
  }, [key, intervalMs, load]);

  const { data, error } = state.key === key ? state : { data: undefined, error: undefined };
  return {
    data,
    error,
    reload: () => load(new AbortController().signal),
    replace: (next) => setState({ key, data: next }),
  };
}
