import type { Along } from "../accounts/account-types.ts";
import type { Trial, TrialCase } from "./trial-types.ts";

/**
 * Store of trials. Their runs are in `Runs`, with the trial as their agent and organization, so that no list or count of an
 * agent has them. Rejects with `StoreUnavailable` when a retry can help.
 */
export interface Trials {
  /** Stores a trial with its cases, at most `maxCases` (`limits.ts`). */
  create(trial: Trial, cases: TrialCase[], along?: Along): Promise<void>;
  find(id: string): Promise<Trial | undefined>;
  /** A page of the trials of an agent, newest first. */
  list(query: { agentId: string; limit: number; after?: Pick<Trial, "createdAt" | "id"> }): Promise<{
    trials: Trial[];
    next?: Pick<Trial, "createdAt" | "id">;
  }>;
  /** Ids of the trials with the status `running` or `stopping`. */
  listActive(): Promise<string[]>;
  /** Replaces a trial of the revision before. False: it has another one, or does not exist. */
  replace(trial: Trial, along?: Along): Promise<boolean>;
  /**
   * Replaces a trial and at most `maxConcurrency` (`limits.ts`) of its cases in one write. False: one of them has another revision than
   * the one before, and nothing was written.
   */
  claim(trial: Trial, cases: TrialCase[]): Promise<boolean>;
  /** All cases, in the order of their numbers. */
  listCases(trialId: string): Promise<TrialCase[]>;
  findCase(trialId: string, number: number): Promise<TrialCase | undefined>;
  /** The cases that try turns of a recorded run. */
  listCasesOf(runId: string): Promise<Pick<TrialCase, "trialId" | "number">[]>;
  /** As `replace`. */
  replaceCase(one: TrialCase, along?: Along): Promise<boolean>;
  /** Deletes a trial with its cases. Its runs are removed before. Idempotent. */
  remove(id: string, along?: Along): Promise<void>;
}
