import { useState } from "preact/hooks";
import { CopyButton } from "../../ui/copy-button.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import type { RunApi, SentRequest } from "../api.ts";
import type { Step } from "../model/types.ts";
import { formatPlace } from "../selection.ts";

const Sent = loadLater(() => import("./sent-details.tsx").then((module) => module.Sent));

type State =
  | { kind: "closed" | "loading" }
  | { kind: "error"; message: string }
  | { kind: "loaded"; sent: SentRequest; command: string };

/** The HTTP request that the provider was sent, and what it says about its response. Loaded when the reader asks. */
export function SentToProvider({ step, api }: { step: Step; api: RunApi }) {
  const [state, setState] = useState<State>({ kind: "closed" });

  async function load(): Promise<void> {
    setState({ kind: "loading" });
    try {
      // Some browsers copy only what is there at the click.
      const [sent, { curlCommand }] = await Promise.all([api.sent(formatPlace(step)), import("./curl-command.ts")]);
      setState({ kind: "loaded", sent, command: curlCommand(sent) });
    } catch (error) {
      setState({ kind: "error", message: error instanceof Error ? error.message : String(error) });
    }
  }

  return (
    <section class="run-section">
      <div class="run-section-head">
        <h3>Sent to the provider</h3>
        {state.kind === "loaded" && <CopyButton text={state.command}>Copy as curl</CopyButton>}
      </div>
      {state.kind === "loaded" ? (
        <Sent sent={state.sent} />
      ) : (
        <p>
          <button type="button" class="button small" disabled={state.kind === "loading"} onClick={() => void load()}>
            {state.kind === "loading" ? "Loading…" : "Show HTTP request"}
          </button>
        </p>
      )}
      {state.kind === "error" && (
        <p class="run-load-error" role="alert">
          {state.message}
        </p>
      )}
    </section>
  );
}
