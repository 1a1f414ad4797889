import { turnEvents } from "../../runs/read/turn-record.ts";
import type { Stores } from "../../runs/ports.ts";
import { startOf } from "../../runs/text.ts";
import type { Run } from "../../runs/types.ts";
import { turnFacts } from "../turn-facts.ts";
import type { VoteName, VoteOutcome } from "../types.ts";
import { expectedVoteText, voteIn } from "./vote.ts";

/** Characters of a reason that are kept with the case. The run of the vote has all of it. */
const maxReason = 2_000;

/** What a vote came to. `run`: that of the vote, which has ended. A judge that failed has not voted. */
export async function evaluateVote(deps: Pick<Stores, "runs">, name: VoteName, run: Run): Promise<VoteOutcome> {
  const facts = turnFacts(await turnEvents(deps, run.id, run.turn), run.turn);
  const used = { ...facts.used, milliseconds: run.used?.milliseconds ?? facts.used.milliseconds };
  return { ending: endingOf(name, run, facts.output), used };
}

function endingOf(name: VoteName, { status, failure }: Run, output: string | undefined): VoteOutcome["ending"] {
  if (status === "terminated") return { kind: "stopped" };
  if (status !== "finished" || output === undefined) {
    return { kind: "no_vote", reason: `The judge failed. ${failure?.title ?? "Its turn ended without an output."}` };
  }
  const vote = voteIn(output);
  if (!vote) {
    const received = JSON.stringify(startOf(output, 200));
    const reason = `The judge's answer is no vote: expected ${expectedVoteText}, received ${received}.`;
    return { kind: "no_vote", reason };
  }
  const [a, b] = name === "recordedFirst" ? (["recorded", "candidate"] as const) : (["candidate", "recorded"] as const);
  const better = vote.better === "equal" ? "equal" : vote.better === "A" ? a : b;
  return { kind: "voted", better, reason: startOf(vote.reason, maxReason) };
}
