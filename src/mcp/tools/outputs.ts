import { runPartSchemas } from "../../http/rest/schemas/run-schemas.ts";
import {
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  oneOfTexts,
  text,
} from "../../http/rest/schemas/schema-builders.ts";
import { isObject } from "../../json.ts";
import type { Schema, SchemaTypes, Static } from "../../json-schema.ts";
import { mapSubschemas } from "../../results/subschemas.ts";
import { runStatuses } from "../../runs/status.ts";

// The structured contents of results. Models read the descriptions, which cost tokens: names that say enough have none.

/** Files of one list: about 10,000 tokens. */
export const maxListedFiles = 500;

const name = { type: "string" } as const;
const size = integer("Bytes.");

const run_id = { type: "string" } as const;
const status = { type: "string", enum: runStatuses } as const;
const next = text("What to do next.");

/** A run that a tool has changed. A task of `start_run` ends with a report, which has these fields, too. */
export const changedRun = object("A run.", { run_id, status, next });

export type ChangedRun = Static<typeof changedRun, unknown>;

/**
 * The structured content of `start_run` for an agent with a schema of its results: that of a task, when it has ended, has the
 * result.
 */
export function startedRun(resultSchema: object | undefined): Schema {
  if (!resultSchema) return changedRun;
  const inPlace = withReferences(resultSchema, "#/properties/result/anyOf/0") as Schema;
  const description = "Of a task that has ended. Null: it does not fit its schema.";
  return {
    ...changedRun,
    properties: { ...changedRun.properties, result: { description, anyOf: [inPlace, { type: "null" }] } },
  };
}

/** A schema that is moved to `place` in another one. */
function withReferences(schema: unknown, place: string): unknown {
  if (!isObject(schema)) return schema;
  const { $ref } = schema;
  const moved = mapSubschemas(schema, (within) => withReferences(within, place));
  return typeof $ref === "string" ? { ...moved, $ref: place + $ref.slice(1) } : moved;
}

/** A run as tools return it. */
const runReport = object("A run.", {
  run_id,
  name,
  status,
  activity: nullable(text("What a running run does now.")),
  turn: integer("Inputs that were started."),
  queued_inputs: integer("Inputs that wait."),
  steps: integer("Model calls so far."),
  dollars: number("Cost so far, if prices are known; otherwise 0."),
  output: nullable(text("Of the last turn of a finished run.")),
  output_next_offset: nullable(integer("Where the output continues, if it is longer than shown.")),
  finish_reason: nullable(text('Why the turn ended. Not "completed": the output is incomplete.')),
  failure: nullable(
    object("Why it failed.", {
      title: text("What happened."),
      remedy: text("What to do."),
      retryable: flag("Whether a new run may succeed."),
    }),
  ),
  files: nullable(list("Files of a run that is not running; the first 100.", object("A file.", { name, size }))),
  next,
});

/** What the report of a run has besides, if calls of its agent can wait for answers. */
const ofAnswers = {
  open_calls: list(
    "Calls of tools that wait for answers. While there are any, the run does not proceed.",
    object("A call.", {
      id: text("Its ID: TURN.STEP.CALL."),
      kind: oneOfTexts("What it waits for.", runPartSchemas.OpenCall.properties.kind.enum),
      name: text("Name of the tool."),
      arguments: text("JSON."),
      arguments_sha256: text("SHA-256 of the arguments."),
      since: text("Since when."),
      until: text("Until when. Then the run proceeds without an answer."),
    }),
  ),
};

/** What the report of a run has besides, if its agent has a schema. */
const ofResult = {
  result: {
    type: ["object", "null"],
    description: "The output as JSON, if it fits the schema of the agent's results and is shown whole.",
    additionalProperties: true,
  },
  result_error: nullable(text("Why the output does not fit the schema.")),
} as const;

export type RunReport = Static<typeof runReport, unknown> &
  SchemaTypes<typeof ofAnswers> &
  Partial<SchemaTypes<typeof ofResult>>;

/** The structured content of a report. Fields that an agent never has would cost tokens in every conversation. */
export function reportSchema({ resultSchema, asks }: ReportOptions): Schema {
  return {
    ...runReport,
    properties: { ...runReport.properties, ...(resultSchema && ofResult), ...(asks && ofAnswers) },
  };
}

/** What reports of an agent's runs have: a result, and calls that wait for answers. */
export interface ReportOptions {
  resultSchema: object | undefined;
  asks: boolean;
}

export const fileList = object("Files of a run.", {
  total: integer(`Number of files with the prefix. At most ${maxListedFiles} are listed.`),
  files: list(
    "Sorted by name.",
    object("A file.", {
      name,
      size,
      kind: oneOfTexts("A link has its target as its content. A folder is empty.", ["file", "link", "folder"]),
      sent_as: nullable(text("The name that it was sent with. Null: the same name, or not a file of the start.")),
      changed_at_step: nullable(text("The step that last changed it, as TURN.STEP. Null: an upload.")),
    }),
  ),
});

export type FileList = Static<typeof fileList, unknown>;
