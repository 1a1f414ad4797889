import type { Schemas } from "../../src/manage/schema-types.ts";

/** The resources of the management API, as docs/management-api.md describes them. */
export type { Schemas };

export type Me = Schemas["Me"];
export type Organization = Schemas["Organization"];
export type Run = Schemas["Run"];
export type RunState = Run["state"];
export type RunDetail = Schemas["RunDetail"];
export type RunCounts = Schemas["RunCounts"];
export type Agent = Schemas["Agent"];
export type AgentSummary = Schemas["AgentSummary"];
export type RunEvent = Schemas["Event"];
export type InputEvent = Schemas["InputEvent"];
export type OutputEvent = Schemas["OutputEvent"];
export type ModelCallEvent = Schemas["ModelCallEvent"];
export type ToolStartedEvent = Schemas["ToolStartedEvent"];
export type ToolResultEvent = Schemas["ToolResultEvent"];
export type AskedEvent = Schemas["CallAskedEvent"];
export type AnsweredEvent = Schemas["CallAnsweredEvent"];
export type OpenCall = Schemas["OpenCall"];
export type SummaryEvent = Schemas["SummaryEvent"];
export type ResumedEvent = Schemas["ResumedEvent"];
export type ForkedEvent = Schemas["ForkedEvent"];
export type FailedEvent = Schemas["ModelCallFailedEvent"];
export type FileChange = ToolResultEvent["files"][number];
export type TokenUsage = Schemas["TokenUsage"];
/** What a call of the current turn has printed so far. It is not recorded: the call's result replaces it. */
export type { CallOutput } from "../../src/runs/read/live-output.ts";
export type { TextDelta } from "../../src/runs/read/search/written-text.ts";

/** A page of a list. `next`: the cursor of the following page. */
export interface Page<Item> {
  data: Item[];
  next: string | null;
}

/** One violation of a request's schema. `loc`: `body`, then field names and list positions. */
export type Issue = Schemas["ValidationError"];
