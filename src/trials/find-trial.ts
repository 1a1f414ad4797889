import { definitionHash } from "../accounts/agents/definition.ts";
import { normalizeId } from "../accounts/ids.ts";
import type { AgentDefinition } from "../accounts/account-types.ts";
import { ServiceError } from "../errors.ts";
import type { Trials } from "./ports.ts";
import type { Trial, TrialCase } from "./trial-types.ts";

/** A trial. Rejects if it does not exist. */
export async function findTrial(trials: Pick<Trials, "find">, id: string): Promise<Trial> {
  const found = await trials.find(normalizeId(id));
  if (found) return found;
  throw new ServiceError("trial_not_found", `trial ${JSON.stringify(id)} does not exist`);
}

/** One case of a trial. */
export async function findCase(trials: Trials, trialId: string, number: number): Promise<TrialCase> {
  const { id, cases } = await findTrial(trials, trialId);
  const found = await trials.findCase(id, number);
  if (found) return found;
  throw new ServiceError("case_not_found", `trial ${id} has no case ${number}; its cases are 1 to ${cases}`);
}

/** Rejects unless the trial has finished, and tried this definition of this agent. */
export async function requireTried(
  trials: Pick<Trials, "find">,
  id: string,
  { agentId, definition }: { agentId: string; definition: AgentDefinition },
): Promise<void> {
  const trial = await findTrial(trials, id);
  const problem =
    trial.status !== "finished"
      ? `is ${trial.status}; save after it has finished`
      : trial.agentId !== agentId
        ? `is of agent ${trial.agentId}`
        : trial.mode === "replay"
          ? "was a replay, which tried no definition; leave out trial_id"
          : trial.candidate.hash !== definitionHash(definition)
            ? "tried another definition; save the one that it tried, or leave out trial_id"
            : undefined;
  if (problem !== undefined) throw new ServiceError("trial_mismatch", `trial ${trial.id} ${problem}`);
}
