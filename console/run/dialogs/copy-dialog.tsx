import { useEffect, useState } from "preact/hooks";
import { commands, me } from "../../api/session.ts";
import { Code } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Problem } from "../../ui/problem.tsx";
import type { RunDetail } from "../api.ts";
import type { Message } from "../model/run-model-types.ts";
import type { RunStore } from "../run-store.ts";
import { Segments } from "../../ui/fields/segments.tsx";
import { type Language, languages } from "../../programs/languages.ts";
import { programFor, type ShownRun } from "../../programs/program.ts";

interface Props {
  store: RunStore;
  detail: RunDetail;
  first: Language;
  /** Names of the uploaded files. */
  uploads: () => Promise<string[]>;
  onClose: () => void;
}

/** A program that does what the run did: its files and inputs, in all turns. */
export function CopyDialog({ store, detail, first, uploads, onClose }: Props) {
  const [language, setLanguage] = useState(first);
  const [run, setRun] = useState<ShownRun>();
  const [problem, setProblem] = useState<string>();
  const isLoaded = store.loaded.value;
  useEffect(() => {
    if (!isLoaded) return;
    const report = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
    shownRun(store, detail, uploads).then(setRun, report);
  }, [isLoaded]);
  return (
    <Dialog title="Copy as" onClose={onClose}>
      <Segments label="Language" options={languages} value={language} onChange={setLanguage} />
      <Problem>{problem}</Problem>
      {run && <Code title={language === "cli" ? "Shell" : title(language)} text={programFor(language, run)} />}
      <p class="muted">
        {language === "cli"
          ? "Run it in the service's directory."
          : "AGENT_RUN_KEY is an environment variable with a key of the agent."}
        {run && run.files.length > 0 && " The files are read from the current directory."}
      </p>
    </Dialog>
  );
}

function title(language: Language): string {
  return languages.find(([each]) => each === language)?.[1] ?? language;
}

async function shownRun(store: RunStore, detail: RunDetail, uploads: Props["uploads"]): Promise<ShownRun> {
  const given = store.model.turns.flatMap(({ input }) => (input ? [input] : []));
  const [[input, ...nextInputs], files] = await Promise.all([
    Promise.all(given.map((message) => completeText(store, message))),
    // The program is useful without the files, too.
    uploads().catch(() => []),
  ]);
  return {
    name: detail.name,
    agentId: detail.agent_id,
    input,
    nextInputs,
    files,
    serviceUrl: me.value?.service_url ?? undefined,
    adminCommand: commands().admin,
  };
}

/** The text of a message. A long one is loaded. */
async function completeText(store: RunStore, { text, sequence }: Message): Promise<string> {
  if (text.text.length >= text.length || sequence === undefined) return text.text;
  const event = await store.texts.event(sequence);
  return event.type === "input" ? event.text : text.text;
}
