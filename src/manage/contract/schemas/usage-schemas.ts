import { reference } from "../../../http/description.ts";
import {
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  text,
  time,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";
import { cached, tokens, estimated } from "../../../http/rest/schemas/usage-schemas.ts";

const used = (description: string) =>
  object(description, {
    used: integer("What is used now."),
    limit: nullable(integer("The most that is accepted. Null: no limit.")),
  });

const unpriced = integer("Tokens of runs without prices: their cost is not known, and not in `dollars`.");

export const usageReportSchemas = {
  UsageRow: object("What the runs that one agent created on one day used with one model.", {
    day: text("The UTC day on which the runs were created.", { format: "date", examples: ["2026-11-22"] }),
    organization_id: uuid("The organization."),
    agent_id: uuid("The agent."),
    model: nullable(text("The model of the last turn. Null: not recorded.")),
    runs: integer("Number of runs."),
    technical_errors: integer("Of them, those that ended with a technical error."),
    steps: integer("Model calls."),
    ...tokens,
    cached_input_tokens: cached,
    estimated_tokens: estimated,
    dollars: number("Cost in US dollars. 0 without prices."),
    unpriced_tokens: unpriced,
    milliseconds: integer("Elapsed time of the turns that ended."),
  }),
  UsageReport: object("Usage by day, agent and model.", {
    data: list("Newest day first.", reference("UsageRow")),
    next: nullable(text("Always null: the report has all rows.")),
    complete: flag("False: there were more runs than the report reads. Choose a shorter time."),
  }),
  FailureGroup: object("Runs that failed for the same reason.", {
    category: text("The category of the failure."),
    title: text("What failed, in the newest run. Texts that differ in numbers and ids only are one group."),
    remedy: text("What to do about it."),
    runs: integer("Number of runs."),
    agents: integer("Number of agents that they belong to."),
    first_at: time("When the oldest of the runs was created."),
    last_at: time("When the newest of the runs was created."),
    newest: list("The newest of the runs, at most 5.", reference("FailedRun")),
  }),
  FailedRun: object("A run that failed.", {
    id: uuid("The run's ID."),
    name: text("Its name."),
    agent_id: uuid("The agent."),
    created_at: time("When it was created."),
  }),
  FailureReport: object("Failed runs by reason.", {
    data: list("Largest group first.", reference("FailureGroup")),
    next: nullable(text("Always null: the report has all groups.")),
    complete: flag("False: there were more runs than the report reads. Choose a shorter time."),
  }),
  AgentActivity: object("What the runs of an agent did in the last 24 hours.", {
    agent_id: uuid("The agent."),
    runs: list("Number of runs that were created in each two hours, oldest first: 12 numbers.", { type: "integer" }),
    technical_errors: integer("Of them, those that ended with a technical error."),
    dollars: number("Their cost in US dollars. 0 without prices."),
    unpriced_tokens: unpriced,
    running: integer("Runs that are running, also older ones."),
    last_run_at: time("When the newest run was created, also if that is longer ago."),
  }),
  AgentActivityReport: object("What agents did lately.", {
    data: list("One for each agent that has runs since `covers_since`.", reference("AgentActivity")),
    covers_since: nullable(
      time(
        "Runs created since then are included. Later than 24 hours ago: there are too many runs. Null: all runs are.",
      ),
    ),
  }),
  Use: object("What an agent, or all agents of an organization together, use of their limits.", {
    stored_bytes: used("Bytes of the files of all runs, without old contents."),
    pending_uploads: used("Uploads that have not expired, also those that a create has named."),
    pending_upload_bytes: used("Bytes of the pending uploads."),
    open_streams: nullable(
      used("Event streams that programs have open. Null: not known, on AWS, where a function knows only its own."),
    ),
  }),
};
