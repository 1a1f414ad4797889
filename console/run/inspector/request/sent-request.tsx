import { CopyButton } from "../../../ui/copy-button.tsx";
import { loadLater } from "../../../ui/load-later.tsx";
import type { RunApi } from "../../api.ts";
import type { Step } from "../../model/run-model-types.ts";
import { formatPlace } from "../../selection.ts";
import { AskedSection } from "../asked-section.tsx";

const Sent = loadLater(() => import("./sent-details.tsx").then((module) => module.Sent));

/** The HTTP request that the provider was sent, and what it says about its response. Loaded when the reader asks. */
export function SentToProvider({ step, api }: { step: Step; api: RunApi }) {
  async function load() {
    // Some browsers copy only what is there at the click.
    const [sent, { curlCommand }] = await Promise.all([api.sent(formatPlace(step)), import("./curl-command.ts")]);
    return { sent, command: curlCommand(sent) };
  }
  return (
    <AskedSection
      title="Sent to the provider"
      ask="Show HTTP request"
      load={load}
      aside={({ command }) => <CopyButton text={command}>Copy as curl</CopyButton>}
    >
      {({ sent }) => <Sent sent={sent} />}
    </AskedSection>
  );
}
