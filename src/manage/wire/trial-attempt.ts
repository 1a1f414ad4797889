import type { Usage } from "../../agent/turn/turn-limits.ts";
import { judgementOf } from "../../trials/judge.ts";
import {
  type Attempt,
  type TrialCase,
  type TrialJudge,
  type TriedConfiguration,
  type TurnEnding,
  type VoteEnding,
  voteNames,
} from "../../trials/trial-types.ts";
import type { Schemas } from "../call.ts";

/** An attempt at a case. */
export function wireAttempt(
  { runId, outcome }: Attempt<TurnEnding>,
  { definition }: TriedConfiguration,
): Schemas["TrialAttempt"] {
  const { ending, comparison, assertions = [], misses = [], steps, used } = outcome ?? {};
  const broken = assertions.flatMap(({ assertion, holds, reason = "" }) => (holds ? [] : { assertion, reason }));
  return {
    run_id: runId,
    ended: ending?.kind ?? null,
    reason: (ending && reasonOf(ending)) ?? steps?.first?.reason ?? null,
    same_output: comparison?.sameOutput ?? null,
    files: comparison?.files ?? [],
    missing: comparison?.missing ?? [],
    assertions: broken,
    misses,
    used: used ? wireUsed(used, definition.prices !== undefined) : null,
  };
}

function reasonOf(ending: TurnEnding): string | undefined {
  if (ending.kind === "failed") return ending.failure.title;
  if (ending.kind !== "left_record") return undefined;
  return `In step ${ending.step}, the turn called ${ending.tool}, and the recorded turn has no answer to this call.`;
}

/** `priced`: false if the dollars are unknown. */
export function wireUsed(
  { steps, inputTokens, outputTokens, dollars, milliseconds }: Usage,
  priced: boolean,
): Schemas["TrialUsed"] {
  const seconds = milliseconds / 1_000;
  return { steps, tokens: inputTokens + outputTokens, dollars: priced ? dollars : null, seconds };
}

/** What the judge says about a case. Null: it was not asked. */
export function wireJudgement(one: TrialCase, judge: TrialJudge | undefined): Schemas["TrialJudgement"] | null {
  const votes = voteNames.flatMap((name) => {
    const vote = one[name];
    return vote ? [wireVote(vote, name === "recordedFirst" ? "recorded" : "candidate", judge)] : [];
  });
  if (votes.length === 0) return null;
  const judgement = judgementOf(one);
  const { verdict = null, reason = null } = judgement === "in_progress" ? {} : (judgement ?? {});
  return { verdict, reason, votes };
}

type WireVote = Schemas["TrialJudgement"]["votes"][number];

function wireVote({ runId, outcome }: Attempt<VoteEnding>, a: WireVote["a"], judge: TrialJudge | undefined): WireVote {
  const ending = outcome?.ending;
  return {
    run_id: runId,
    a,
    better: ending?.kind === "voted" ? ending.better : null,
    reason: ending && ending.kind !== "stopped" ? ending.reason : null,
    used: outcome ? wireUsed(outcome.used, judge?.definition.prices !== undefined) : null,
  };
}
