import { useEffect, useState } from "preact/hooks";
import { commands, me } from "../../api/session.ts";
import { Code } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import type { RunDetail } from "../api.ts";
import type { RunStore } from "../run-store.ts";
import { Segments } from "../../ui/segments.tsx";
import { type CopiedRun, type Language, languages, programFor } from "../../copy-as.ts";

interface Props {
  store: RunStore;
  detail: RunDetail;
  first: Language;
  /** Names of the uploaded files. */
  uploads: () => Promise<string[]>;
  onClose: () => void;
}

/** A program that starts the same run. */
export function CopyDialog({ store, detail, first, uploads, onClose }: Props) {
  const [language, setLanguage] = useState(first);
  const [run, setRun] = useState<CopiedRun>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const report = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
    copiedRun(store, detail, uploads).then(setRun, report);
  }, []);
  return (
    <Dialog title="Copy as" onClose={onClose}>
      <Segments label="Language" options={languages} value={language} onChange={setLanguage} />
      {problem !== undefined && (
        <p class="note bad" role="alert">
          {problem}
        </p>
      )}
      {run && <Code title={language === "cli" ? "Shell" : title(language)} text={programFor(language, run)} />}
      <p class="muted">
        {language === "cli"
          ? "Run it in the service's directory."
          : "API_KEY is an environment variable with a key of the agent."}
        {run && run.files.length > 0 && " The files are read from the current directory."}
      </p>
    </Dialog>
  );
}

function title(language: Language): string {
  return languages.find(([each]) => each === language)?.[1] ?? language;
}

async function copiedRun(store: RunStore, detail: RunDetail, uploads: Props["uploads"]): Promise<CopiedRun> {
  const first = store.model.turns[0]?.input;
  const cut = first && first.text.text.length < first.text.length;
  const event = cut && first.sequence !== undefined ? await store.texts.event(first.sequence) : undefined;
  return {
    name: detail.name,
    agentId: detail.agent_id,
    input: event?.type === "input" ? event.text : first?.text.text,
    // The program is useful without the files, too.
    files: await uploads().catch(() => []),
    serviceUrl: me.value?.service_url ?? undefined,
    adminCommand: commands().admin,
  };
}
