import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { reached } from "./connection.ts";
import { type ApiError, isUnreached } from "./client.ts";
import { poll } from "./poll.ts";

/** A read that failed is repeated, also without `intervalMs`. Milliseconds. */
const retryMs = 10_000;

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

  /** Counts reads and changes: the response of an earlier one is out of date. */
  const count = useRef(0);

  const load = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const number = ++count.current;
      const isLate = (): boolean => signal.aborted || number !== count.current;
      try {
        const data = await latest.current(signal);
        if (!isLate()) setState({ key, data });
      } catch (error) {
        if (isLate()) return;
        if (isUnreached(error)) throw error;
        const failure = error as ApiError;
        setState((before) => ({ ...(before.key === key && before), key, error: failure }));
        if (failure.status >= 500) throw error;
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
    void poll(intervalMs || retryMs, controller.signal, once);
    return () => controller.abort();
  }, [key, intervalMs, load]);

  const { data, error } = state.key === key ? state : { data: undefined, error: undefined };
  return {
    data,
    error,
    reload: () => load(new AbortController().signal),
    replace: (next) => {
      count.current++;
      setState({ key, data: next });
    },
  };
}
