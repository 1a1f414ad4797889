import { useEffect, useState } from "preact/hooks";
import { connection } from "../../api/connection.ts";

/**
 * Returns a hook for a module that is loaded when the first component needs it. The hook returns undefined until then, and if
 * loading fails: the next component, and those that are shown when the service responds again, try it again.
 */
export function laterModule<Module>(load: () => Promise<Module>): (needed: boolean) => Module | undefined {
  let module: Module | undefined;
  let loading: Promise<unknown> | undefined;
  const loadOnce = (): Promise<unknown> =>
    (loading ??= load().then(
      (loaded) => (module = loaded),
      () => (loading = undefined),
    ));
  return (needed) => {
    const [ready, setReady] = useState(module !== undefined);
    const { state } = connection.value;
    useEffect(() => {
      if (needed && !ready && state === "live") void loadOnce().then(() => setReady(module !== undefined));
    }, [needed, ready, state]);
    return needed ? module : undefined;
  };
}
