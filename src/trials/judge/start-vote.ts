import { hash } from "node:crypto";
import { beginRun } from "../../runs/begin.ts";
import { stamped } from "../../runs/events.ts";
import { turnEvents } from "../../runs/read/turn-record.ts";
import { transitions } from "../../runs/status.ts";
import type { RunJournalEntry, TurnMessage } from "../../runs/types.ts";
import { recordedRunDeleted } from "../erase-trials.ts";
import { createOnce, type StartDeps, settingsOf } from "../start-arm.ts";
import { withTier } from "../tier.ts";
import { ownerOfRuns } from "../trial-id.ts";
import { turnFacts } from "../turn-facts.ts";
import type { Trial, TrialCase, Vote, VoteName } from "../types.ts";
import { maxJudged, questionOf } from "./question.ts";

/** The turn of a vote's run. */
const turn = 1;

/**
 * Creates the run of a vote of the judge, and starts it. Idempotent. Resolves with why the judge cannot be asked, as a sentence.
 */
export async function startVote(
  deps: StartDeps,
  trial: Trial,
  one: TrialCase,
  { name, vote }: { name: VoteName; vote: Vote },
): Promise<string | undefined> {
  const problem = await createOnce(deps, vote.runId, () => createVote(deps, trial, one, { name, vote }));
  if (problem !== undefined) return problem;
  await deps.workflow.start(vote.runId, turn, { agentId: trial.id, organizationId: trial.organizationId });
  return undefined;
}

async function createVote(
  deps: StartDeps,
  trial: Trial,
  { number, source, candidate }: TrialCase,
  { name, vote: { runId, budget } }: { name: VoteName; vote: Vote },
): Promise<string | undefined> {
  const { runs, configurations, now } = deps;
  if (!trial.judge || !candidate) throw new Error(`case ${number} of trial ${trial.id} has nothing to judge`);
  const [recorded, tried] = await Promise.all(
    [source.runId, candidate.runId].map(async (id) => turnFacts(await turnEvents(deps, id, source.turn), source.turn)),
  );
  if (recorded?.input === undefined || !tried) return recordedRunDeleted;
  const marker = hash("sha256", runId).slice(0, 16);
  const text = questionOf(recorded.input, name === "recordedFirst" ? [recorded, tried] : [tried, recorded], marker);
  if (text === undefined) return tooLong;
  const settings = settingsOf({ ...trial.judge, definition: withTier(trial.judge.definition, trial.settings) }, budget);
  await configurations.put(trial.id, settings);
  const at = now();
  const events = stamped<TurnMessage | RunJournalEntry>(
    [
      { turn, role: "input_to_agent", text },
      {
        turn,
        step: 0,
        part: "forked",
        from: source.runId,
        settings: settings.hash,
        trial: { case: number, arm: name },
      },
    ],
    { sequence: 0, at },
  );
  const run = beginRun(
    {
      id: runId,
      ...ownerOfRuns(trial.id),
      name: `Vote on case ${number}`,
      status: transitions.createdWithInput.to,
      turn,
      sequence: events.length,
    },
    at,
  );
  const messages = events.filter((event) => "role" in event);
  await runs.create(run, messages, { uploads: [], entries: events.filter((event) => "part" in event) });
  return undefined;
}

const tooLong = `The input and both outputs have more than ${maxJudged.toLocaleString("en-US")} characters, so the judge was not asked.`;
