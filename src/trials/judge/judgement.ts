import type { TrialCase, Vote, VoteOutcome } from "../types.ts";

/** What the votes of a judge on a case say. `reason`: a sentence, or the judge's own words, with the recorded output as A. */
export interface Judgement {
  verdict: "better" | "worse" | "equal" | "unclear";
  reason: string;
}

/** Undefined: the judge was not asked, or was stopped. */
export function judgementOf({
  recordedFirst,
  candidateFirst,
}: Pick<TrialCase, "recordedFirst" | "candidateFirst">): Judgement | "in_progress" | undefined {
  if (!recordedFirst || !candidateFirst) return undefined;
  const [first, second] = [endingOf(recordedFirst), endingOf(candidateFirst)];
  if (!first || !second) return "in_progress";
  if (first.kind === "stopped" || second.kind === "stopped") return undefined;
  if (first.kind === "no_vote") return { verdict: "unclear", reason: first.reason };
  if (second.kind === "no_vote") return { verdict: "unclear", reason: second.reason };
  if (first.better !== second.better) {
    return {
      verdict: "unclear",
      reason: `The votes differ: ${words[first.better]} with the recorded output first, and ${words[second.better]} with the candidate's first.`,
    };
  }
  return { verdict: verdictFor[first.better], reason: first.reason };
}

function endingOf({ outcome }: Vote): VoteOutcome["ending"] | undefined {
  return outcome?.ending;
}

type Better = Extract<VoteOutcome["ending"], { kind: "voted" }>["better"];

const words: Record<Better, string> = {
  recorded: "the recorded output is better",
  candidate: "the candidate's is better",
  equal: "both are equal",
};

const verdictFor = { recorded: "worse", candidate: "better", equal: "equal" } as const satisfies Record<
  Better,
  Judgement["verdict"]
>;
