import type { Parameter } from "../../../api/description.ts";
import { uuid, type Schema } from "../schemas/schema.ts";

const parameter = (description: string, schema: Schema): Parameter => ({ description, schema });
const { description: _, ...id } = uuid("");
const hash = { type: "string", pattern: "^[0-9a-f]{64}$" };

/** Parameters of paths, by name. */
export const pathParameters = {
  organization_id: parameter("The organization's ID.", id),
  agent_id: parameter("The agent's ID.", id),
  run_id: parameter("The run's ID.", id),
  key_id: parameter("The key's ID: the SHA-256 of the key, in hex.", hash),
  operator_id: parameter("The operator's ID.", id),
  version: parameter("Number of the version, from 1.", { type: "integer", minimum: 1, maximum: 1e9 }),
  sequence: parameter("Number of the event, from 1.", { type: "integer", minimum: 1, maximum: 1e9 }),
  name: parameter("The file's name, percent-encoded.", { type: "string", minLength: 1, maxLength: 255 }),
};

/** Entries of one page. */
export const limit = (initial: number, maximum: number): Parameter =>
  parameter("Entries of one page.", { type: "integer", minimum: 1, maximum, default: initial });

export const cursor = parameter("`next` of the page before. Left out: the first page.", {
  type: "string",
  minLength: 1,
  maxLength: 2000, // a name of 200 characters has up to 800 bytes
});

/** A point of a run. */
export const at = parameter(
  "A point of the run: after this step, as `TURN.STEP`. `2.0` is before the first step of turn 2. Left out: now.",
  { type: "string", pattern: "^[0-9]{1,9}\\.[0-9]{1,9}$", examples: ["1.3"] },
);

const timeText = { type: "string", format: "date-time", examples: ["2026-11-22T00:00:00Z"] };

export const timeParameter = (description: string): Parameter => parameter(description, timeText);

/** Filters of lists of runs. */
export const runFilters = {
  organization_id: parameter("Only runs of this organization.", id),
  agent_id: parameter("Only runs of this agent.", id),
  since: timeParameter("Only runs that were created at this time or later."),
  until: timeParameter("Only runs that were created before this time."),
  q: parameter(
    "Only runs with this text in their name or in the first words of their input, or whose ID begins with it.",
    {
      type: "string",
      minLength: 1,
      maxLength: 200,
    },
  ),
};

export const agentFilters = {
  organization_id: parameter("Only agents of this organization.", id),
  status: parameter("Only agents with this status.", { type: "string", enum: ["active", "archived", "deleted"] }),
};
