import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import type { Agent } from "../../api/types.ts";
import { blocked } from "../../state/blocked.ts";
import { organizations } from "../../state/organization.ts";
import { pageUrl } from "../../state/url.ts";
import { Button } from "../../ui/fields/button.tsx";
import { toast } from "../../ui/dialogs/toast.tsx";

/** Whether the demo model answers for the agent. It needs no key, and follows a line of the instructions. */
function isDemo({ organization_id, definition }: Agent): boolean {
  const model = organizations.value?.find(({ id }) => id === organization_id)?.model;
  return definition.modelConfiguration === undefined && model?.provider === "demo";
}

/** Inputs of sample runs, each with so many files. */
const samples: [input: string, files: number][] = [
  ["Summarize the note.", 1],
  ["Compare the notes.", 3],
  ["Say hello.", 0],
  ["Which note is longer?", 2],
];

/** Records sample runs of an agent with the demo model, so that a change can be tried before there are real ones. */
export function SampleCases({ agent }: { agent: Agent }) {
  const { route } = useLocation();
  const [isBusy, setBusy] = useState(false);
  if (!isDemo(agent)) return null;
  const record = async (): Promise<void> => {
    for (const [text, count] of samples) await startSample(agent.id, text, count);
    toast(`${samples.length} sample runs have started. Add the line, and try it on them.`);
    route(pageUrl(`agents/${agent.id}`, { tab: "edit" }));
  };
  return (
    <>
      <p class="muted">
        The demo model shows it without a key: record sample runs, add the line <code>demo: files=1</code> to the
        instructions, and try the draft. The model then reads one file at most, so two of four runs end differently.
      </p>
      <Button
        disabled={isBusy}
        blocked={blocked("start runs")}
        onClick={() => {
          setBusy(true);
          record().catch((error: Error) => {
            toast(`The sample runs were not started: ${error.message}`);
            setBusy(false);
          });
        }}
      >
        Record sample runs
      </Button>
    </>
  );
}

async function startSample(agentId: string, text: string, count: number): Promise<void> {
  const files = Array.from({ length: count }, (_, index) => ({
    filename: `note-${index + 1}.txt`,
    content_base64: btoa(`Note ${index + 1}\n${"It has a line.\n".repeat(index + 1)}`),
  }));
  await call("create_run", {}, { body: { agent_id: agentId, name: text, input_text: text, files } });
}
