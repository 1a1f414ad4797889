import { blocked } from "../../state/blocked.ts";
import { useShortcuts } from "../../state/keyboard.ts";
import { Button } from "../../ui/fields/button.tsx";
import { Segments } from "../../ui/fields/segments.tsx";
import { toast } from "../../ui/dialogs/toast.tsx";
import { judge, type Trial, type TrialCase, type Verdict } from "../trial-calls.ts";

const choices = [
  ["better", "Better"],
  ["equal", "Equal"],
  ["worse", "Worse"],
] as const;

interface CaseVerdictProps {
  trial: Trial;
  of: TrialCase;
  onJudged: (judged: TrialCase) => void;
}

/** A person's verdict, which replaces the computed one or that of the judge until it is removed. */
export function CaseVerdict({ trial, of: one, onJudged }: CaseVerdictProps) {
  const reason = blocked("judge cases");
  const set = (verdict: Verdict | null): void => {
    if (reason !== undefined) return;
    judge(trial.id, one.number, verdict).then(onJudged, (error: Error) =>
      toast(`The verdict was not kept: ${error.message}`),
    );
  };
  useShortcuts("Case", [
    ...choices.map(([verdict, word]) => ({
      keys: `v ${verdict.charAt(0)}`,
      label: `Verdict: ${word.toLowerCase()}`,
      run: () => set(verdict),
    })),
    { keys: "v u", label: "Remove your verdict", run: () => one.judged_by !== null && set(null) },
  ]);
  const isOfJudge = one.judged_by === null && one.judgement?.verdict === one.verdict;
  const given = isOfJudge ? undefined : choices.find(([verdict]) => verdict === one.verdict)?.[0];
  return (
    <>
      <Segments label="Your verdict" options={choices} value={given} blocked={reason} onChange={set} />
      {given !== undefined && (
        <Button kind="plain" size="small" blocked={reason} onClick={() => set(null)}>
          Remove verdict
        </Button>
      )}
    </>
  );
}
