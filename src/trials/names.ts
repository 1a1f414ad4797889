/*
 * Names that the contracts show. The page infers its types from the contracts: this file imports nothing.
 */

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

/** The verdicts of cases. The first one that applies, in this order, up to `different`; the others are a person's. */
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
] as const;
export type Verdict = (typeof verdicts)[number];

/**
 * Why a trial connects to a host.
 * - `model`: the model's API.
 * - `mcp_list`: an MCP server that recorded turns did not have. Its tools are listed; nothing of a run is sent.
 * - `live_calls`: calls that the rule `live` lets leave the service.
 */
export const destinationKinds = ["model", "mcp_list", "live_calls"] as const;
