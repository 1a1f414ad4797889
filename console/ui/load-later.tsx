import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { toast } from "./dialogs/toast.tsx";

/** A component whose code is loaded when it is first rendered. Nothing is shown until then. */
export function loadLater<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined);
  return function Later(props: Props) {
    useEffect(() => {
      if (loaded.peek()) return;
      load().then(
        (component) => (loaded.value = component),
        () => toast("This part of the console could not be loaded.", { label: "Reload", run: () => location.reload() }),
      );
    }, []);
    const Component = loaded.value;
    return Component ? <Component {...props} /> : null;
  };
}
