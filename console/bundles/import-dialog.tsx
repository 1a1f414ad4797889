import { useLocation } from "preact-iso/router";
import { useId, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Agent } from "../api/types.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/fields/button.tsx";
import { Choice, Dialog } from "../ui/dialogs/dialog.tsx";
import { Field } from "../ui/fields/field.tsx";
import { importBundle } from "./bundle-calls.ts";

/** Asks for a bundle, and creates a run of the agent from it. */
export function ImportDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { route } = useLocation();
  const [file, setFile] = useState<File>();
  const { isBusy, problem, run } = useAction();
  const form = useId();
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!file) return;
    void run(async () => {
      const { id } = await importBundle(agent.id, file).catch((error: Error) => {
        throw new Error(problemText(error));
      });
      route(`/console/runs/${id}`);
    }, true);
  };
  return (
    <Dialog
      title={`Import a run of “${agent.name}”`}
      narrow
      onClose={onClose}
      footer={
        <Choice onCancel={onClose}>
          <Button kind="primary" type="submit" form={form} disabled={!file || isBusy}>
            {isBusy ? "Importing…" : "Import and open"}
          </Button>
        </Choice>
      }
    >
      <form id={form} class="stack" onSubmit={submit}>
        <p>
          The run is read-only, and API keys do not see it. Forks and trials of it run on what this agent is, not on
          what the file says.
        </p>
        <Field name="Bundle" help="A file that Export bundle or run export has saved." problem={problem}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="file"
              accept=".zip,application/zip"
              onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}

/** A bundle that is too large for a request is imported on the command line. */
function problemText(error: Error): string {
  if (!(error instanceof ApiError) || error.status !== 413) return error.message;
  return "The bundle is too large for the page. Import it on the command line: npm run -s admin -- run import";
}
