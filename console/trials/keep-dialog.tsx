import { useState } from "preact/hooks";
import { defaultReplacement, suiteNamePattern } from "../../src/trials/suites/limits.ts";
import { count } from "../run/text/words.ts";
import { CreateDialog } from "../ui/dialogs/create-dialog.tsx";
import { Check, TextField } from "../ui/fields/field.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { keepCases, type KeptCases, type TrialCase } from "./trial-calls.ts";

interface KeepDialogProps {
  agentId: string;
  trialId: string;
  cases: TrialCase[];
  onClose: () => void;
}

/** Keeps the recorded turns of cases in a suite, a new one or one that the agent has. */
export function KeepDialog({ agentId, trialId, cases, onClose }: KeepDialogProps) {
  const [texts, setTexts] = useState("");
  /** Files that cannot be redacted. */
  const [files, setFiles] = useState<string[]>([]);
  const [keepsFiles, setKeepsFiles] = useState(false);
  const what = count(cases.length, "case");

  async function keep(name: string): Promise<void> {
    if (!new RegExp(`^${suiteNamePattern}$`).test(name)) {
      throw new Error(
        "Enter up to 64 letters, digits, dots, hyphens and underscores, the first one a letter or digit.",
      );
    }
    const redact = texts.split("\n").map((line) => line.trim());
    const kept = await keepCases(agentId, name, {
      cases: cases.map(({ number }) => ({ trial_id: trialId, number })),
      redact: redact.filter((line) => line !== "").map((text) => ({ text, replacement: defaultReplacement })),
      unredacted: keepsFiles ? files : [],
    });
    setFiles([...new Set(kept.refused.flatMap(({ unredacted }) => unredacted))]);
    if (kept.refused.length > 0) throw new Error(refusalText(kept));
    toast(`The suite ${name} has ${what} of this trial.`);
    onClose();
  }

  return (
    <CreateDialog
      title={`Keep ${what} as a suite`}
      action="Keep"
      help="Of a new suite, or of one that the agent has. Its copies of the recorded turns do not expire."
      create={keep}
      onClose={onClose}
    >
      <TextField
        name="Redact"
        help="Texts to replace in inputs, outputs, calls and files, one on each line. Patterns: suite add on the command line."
        rows={3}
        spellcheck={false}
        value={texts}
        onInput={setTexts}
      />
      {files.length > 0 && (
        <Check checked={keepsFiles} onChange={setKeepsFiles}>
          Keep as they are: <bdi>{files.join(", ")}</bdi>
        </Check>
      )}
    </CreateDialog>
  );
}

function refusalText({ added, present, refused }: KeptCases): string {
  const reasons = [...new Set(refused.map(({ reason }) => reason))];
  const kept = added.length + present.length;
  return `${count(refused.length, "case")} not kept${kept > 0 ? `, ${kept} kept` : ""}. ${reasons.join(" ")}`;
}
