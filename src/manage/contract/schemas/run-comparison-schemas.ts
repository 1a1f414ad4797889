import { reference } from "../../../http/description.ts";
import {
  flag,
  integer,
  list,
  nullable,
  nullableReference,
  object,
  text,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";

import { fileDifferences } from "./trial-case-schemas.ts";

/** Two turns side by side. */
export const runComparisonSchemas = {
  RunComparison: object("Two turns side by side.", {
    run: reference("ComparedTurn"),
    other: reference("ComparedTurn"),
    same_output: flag("Whether both have the same output, but for white space, or none."),
    files: nullable(
      fileDifferences(
        "Files after the other turn that differ from those after this one. Null: unknown.",
        "Against this turn.",
      ),
    ),
    files_unknown: nullable(text("Why `files` is null, as a sentence.")),
    calls: list(
      "The tool calls of both turns, aligned: equal calls first, then calls of the same tool.",
      object("A pair of calls, or one that the other turn does not have.", {
        run: nullableReference("Null: only the other turn has made it.", reference("TrialCall")),
        other: nullableReference("Null: the other turn has not made it.", reference("TrialCall")),
        same: flag("Whether both have the same arguments."),
      }),
    ),
    first_difference: nullable(integer("Index in `calls`. Null: there is none.")),
  }),
  ComparedTurn: object("A turn with its run.", {
    run_id: uuid("The run."),
    name: text("The name of the run."),
    agent_id: text("The agent of the run."),
    turn: integer("The turn, from 1."),
    turns: integer("How many turns the run has."),
    input: text("The input of the turn."),
    output: nullable(text("The output. Null: none, or none yet.")),
    used: reference("TrialUsed"),
  }),
};
