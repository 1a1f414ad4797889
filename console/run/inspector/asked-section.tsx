import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface Props<Value> {
  title: string;
  /** What the button says. */
  ask: string;
  load: () => Promise<Value>;
  /** Beside the title, once it is loaded. */
  aside?: (value: Value) => ComponentChildren;
  children: (value: Value) => ComponentChildren;
}

/** A part of the inspector that is loaded when the reader asks for it. */
export function AskedSection<Value>({ title, ask, load, aside, children }: Props<Value>) {
  const [state, setState] = useState<{ value?: Value; loading?: true; error?: string }>({});
  const { value, loading, error } = state;

  async function show(): Promise<void> {
    setState({ loading: true });
    try {
      setState({ value: await load() });
    } catch (problem) {
      setState({ error: problem instanceof Error ? problem.message : String(problem) });
    }
  }

  return (
    <section class="run-section">
      <div class="run-section-head">
        <h3>{title}</h3>
        {value !== undefined && aside?.(value)}
      </div>
      {value === undefined ? (
        <p>
          <button type="button" class="button small" disabled={loading === true} onClick={() => void show()}>
            {loading ? "Loading…" : ask}
          </button>
        </p>
      ) : (
        children(value)
      )}
      {error !== undefined && (
        <p class="run-load-error" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}
