import type { Usage } from "../../agent/turn/limits.ts";
import { judgementOf } from "../../trials/judge/judgement.ts";
import {
  type Arm,
  type ArmOutcome,
  type StepsOutcome,
  type TrialCase,
  type TrialJudge,
  type TriedConfiguration,
  type Vote,
  voteNames,
} from "../../trials/types.ts";
import type { Schemas } from "../call.ts";

/** An attempt at a case. */
export function wireAttempt({ runId, outcome }: Arm, { definition }: TriedConfiguration): Schemas["TrialAttempt"] {
  const { ending, comparison, assertions = [], misses = [], steps, used } = outcome ?? {};
  const broken = assertions.flatMap(({ assertion, holds, reason = "" }) => (holds ? [] : { assertion, reason }));
  return {
    run_id: runId,
    ended: ending?.kind ?? null,
    reason: ending ? (reasonOf(ending) ?? null) : null,
    same_output: comparison?.sameOutput ?? null,
    files: comparison?.files ?? [],
    assertions: broken,
    misses,
    steps: steps ? wireSteps(steps) : null,
    used: used ? wireUsed(used, definition.prices !== undefined) : null,
  };
}

function wireSteps({ compared, changed, first }: StepsOutcome): Schemas["TrialSteps"] {
  return { compared, changed, first: first ? { ...first, path: first.path ?? null } : null };
}

function reasonOf(ending: ArmOutcome["ending"]): string | undefined {
  if (ending.kind === "failed") return ending.failure.title;
  if (ending.kind !== "left_record") return undefined;
  if (ending.tool === "") {
    return `In step ${ending.step}, the engine asks for something else than the recorded turn, which has no answer to it.`;
  }
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

function wireVote({ runId, outcome }: Vote, a: WireVote["a"], judge: TrialJudge | undefined): WireVote {
  const ending = outcome?.ending;
  return {
    run_id: runId,
    a,
    better: ending?.kind === "voted" ? ending.better : null,
    reason: ending && ending.kind !== "stopped" ? ending.reason : null,
    used: outcome ? wireUsed(outcome.used, judge?.definition.prices !== undefined) : null,
  };
}
