import type { components } from "../../src/manage/generated/types.d.ts";

/** The resources of the management API, as docs/management-api.md describes them. */
export type Schemas = components["schemas"];

export type Me = Schemas["Me"];
export type Organization = Schemas["Organization"];
export type Run = Schemas["Run"];
export type RunDetail = Schemas["RunDetail"];
export type RunCounts = Schemas["RunCounts"];
export type AgentSummary = Schemas["AgentSummary"];

/** A page of a list. `next`: the cursor of the following page. */
export interface Page<Item> {
  data: Item[];
  next: string | null;
}

/** One violation of a request's schema. `loc`: `body`, then field names and list positions. */
export type Issue = Schemas["ValidationError"];
