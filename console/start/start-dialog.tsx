import { useEffect, useState } from "preact/hooks";
import { startDialog, type StartPreset } from "../state/dialogs.ts";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { Loading } from "../ui/empty.tsx";
import { Problem } from "../ui/problem.tsx";
import { useResource } from "../api/use-resource.ts";
import type { StartDraft } from "./draft.ts";
import { draftFrom } from "./start-calls.ts";
import { StartForm } from "./start-form.tsx";

/** The dialog that starts a run. */
export function StartDialog() {
  const preset = startDialog.value ?? {};
  const [title] = useState(preset.from === undefined ? "Start run" : "Run again");
  const [draft] = useState(() => emptyDraft(preset));
  return preset.from === undefined ? (
    <StartForm title={title} start={draft} problem={undefined} />
  ) : (
    <AgainForm title={title} from={preset.from} />
  );
}

function emptyDraft({ agentId, sample }: StartPreset): StartDraft {
  const files = sample?.files.map(({ name, text }) => {
    const blob = new Blob([text]);
    return { name, size: blob.size, blob };
  });
  return { agentId, name: "", text: sample?.text ?? "", files: files ?? [], choices: {} };
}

/** The dialog with the input, name and files of an earlier run. */
function AgainForm({ title, from }: { title: string; from: string }) {
  const { data, error } = useResource(from, (signal) => draftFrom(from, signal));
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 4_000);
    return () => clearTimeout(timer);
  }, []);
  if (data) return <StartForm title={title} start={data} problem={undefined} />;
  if (error) {
    const problem = `The earlier run could not be copied: ${error.message}`;
    return <StartForm title={title} start={emptyDraft({})} problem={problem} />;
  }
  return (
    <Dialog title={title} onClose={() => (startDialog.value = undefined)}>
      <Loading rows={6} />
      <Problem>{isLate ? "The files of the earlier run are still being read." : undefined}</Problem>
    </Dialog>
  );
}
