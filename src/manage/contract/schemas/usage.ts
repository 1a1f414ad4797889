import { reference } from "../../../http/description.ts";
import { flag, integer, list, nullable, number, object, text, uuid } from "../../../http/rest/schemas/schema.ts";
import { cached, tokens } from "../../../http/rest/schemas/usage.ts";

const used = (description: string) =>
  object(description, {
    used: integer("What is used now."),
    limit: nullable(integer("The most that is accepted. Null: no limit.")),
  });

export const usageReportSchemas = {
  UsageRow: object("What the runs that one agent created on one day used with one model.", {
    day: text("The UTC day on which the runs were created.", { format: "date", examples: ["2026-11-22"] }),
    organization_id: uuid("The organization."),
    agent_id: uuid("The agent."),
    model: nullable(text("The model of the last turn. Null: not recorded.")),
    runs: integer("Number of runs."),
    steps: integer("Model calls."),
    ...tokens,
    cached_input_tokens: cached,
    dollars: number("Cost in US dollars. 0 without prices."),
    milliseconds: integer("Elapsed time of the turns that ended."),
  }),
  UsageReport: object("Usage by day, agent and model.", {
    data: list("Newest day first.", { $ref: reference("UsageRow").$ref }),
    next: nullable(text("Always null: the report has all rows.")),
    complete: flag("False: there were more runs than the report reads. Choose a shorter time."),
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
