/*
 * Names and limits that the contracts show. The page infers its types from the contracts: this file imports nothing.
 */

/** What earlier releases could do with recorded turns. This release takes turns anew, and still shows the results of those trials. */
export const formerModes = ["next_step", "replay"] as const;

/** Service tiers that a trial can ask models with. A trial can wait for its answers, which programs and people cannot. */
export const trialTiers = ["flex"] as const;
export type TrialTier = (typeof trialTiers)[number];

/**
 * - `estimated`: nothing was called yet.
 * - `running`: cases are being tried.
 * - `stopping`: no case starts any more; those in progress end.
 * - `finished`
 */
export const trialStatuses = ["estimated", "running", "stopping", "finished"] as const;
export type TrialStatus = (typeof trialStatuses)[number];

/** Whether attempts of a trial can be in progress. */
export function isActive(status: TrialStatus): boolean {
  return status === "running" || status === "stopping";
}

/**
 * The verdicts of cases. The first one that applies, in this order, up to `different`; the others are those of a judge or a person.
 * `unclear`: the two votes of the judge differ, or one is missing.
 */
export const verdicts = [
  "cannot_be_tried",
  "left_record",
  "failed",
  "assertion_broken",
  "same",
  "different",
  "better",
  "worse",
  "equal",
  "unclear",
] as const;
export type Verdict = (typeof verdicts)[number];

/**
 * Why a trial connects to a host.
 * - `model`: the model's API.
 * - `judge`: the API of the judge's model, which gets inputs and outputs, and names of files.
 * - `mcp_list`: an MCP server that recorded turns did not have. Its tools are listed; nothing of a run is sent.
 * - `live_calls`: calls that the rule `live` lets leave the service.
 */
export const destinationKinds = ["model", "judge", "mcp_list", "live_calls"] as const;

/** Cases of a trial. */
export const maxCases = 500;

/** Cases of a trial in progress at the same time. */
export const maxConcurrency = 16;
