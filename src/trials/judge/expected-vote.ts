import { type Usage, usageOf } from "../../agent/turn/limits.ts";
import type { TrialCase, TrialJudge } from "../types.ts";

/** A rule of thumb for English text. */
const charactersPerToken = 4;

/** Characters of the schema of votes and of the markers. */
const ownCharacters = 1_000;

/** Output tokens of a vote: a reason of one or two sentences, and some reasoning. */
const voteTokens = 400;

/** What one vote on a case is expected to use. The candidate's output is taken to be as long as the recorded one. */
export function expectedVote(
  { definition }: Pick<TrialJudge, "definition">,
  { source }: Pick<TrialCase, "source">,
): Usage {
  const { input, output } = source.characters ?? { input: 0, output: 0 };
  const characters = ownCharacters + definition.instructions.length + input + 2 * output;
  const inputTokens = Math.ceil(characters / charactersPerToken);
  return usageOf({ inputTokens, outputTokens: voteTokens }, definition.prices);
}
