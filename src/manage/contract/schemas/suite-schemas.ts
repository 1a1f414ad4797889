import { reference } from "../../../http/description.ts";
import {
  body,
  integer,
  list,
  nullable,
  object,
  page,
  text,
  time,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";
import { maxCases } from "../../../trials/names.ts";
import { defaultReplacement, maxRuleLength, maxRules, suiteNamePattern } from "../../../trials/suites/limits.ts";

const name = text("The suite's name: letters, digits, dots, hyphens and underscores.", {
  pattern: `^${suiteNamePattern}$`,
  examples: ["invoices"],
});
const head = {
  name,
  agent_id: uuid("The agent."),
  created_by: nullable(text("The operator.")),
  created_at: time("When it was created."),
  cases: integer("Number of cases."),
};
const turn = {
  run_id: uuid("The run whose turn was copied. It may have expired."),
  turn: integer("The turn, from 1."),
};
const rule = {
  text: text("A text to replace, as it is and as JSON and URLs write it. Instead of `pattern`.", {
    minLength: 1,
    maxLength: maxRuleLength,
  }),
  pattern: text("A regular expression of RE2. What it matches within a line is replaced.", {
    minLength: 1,
    maxLength: maxRuleLength,
  }),
  replacement: text("What it is replaced with.", { maxLength: maxRuleLength, default: defaultReplacement }),
};

/** Suites: turns that are kept to try changes on them. */
export const suiteSchemas = {
  CreateSuiteRequest: body("A suite.", { name }, ["name"], [{ name: "invoices" }]),
  AddCasesRequest: body(
    "Turns to keep.",
    {
      cases: list(
        "The turns. One that the suite has already is not copied again.",
        body("A turn of a run, or the turn of a case of a finished trial.", {
          run_id: uuid("A run of the agent."),
          turn: integer("With `run_id`: its turn. Default: all turns with an output.", { minimum: 1 }),
          trial_id: text("A finished trial of the agent, in place of `run_id`."),
          number: integer("With `trial_id`: number of the case.", { minimum: 1 }),
        }),
        { minItems: 1, maxItems: maxCases },
      ),
      redact: list(
        "What is replaced in texts, arguments, files and names of files before the turns are stored, in this order.",
        body("A rule. It has `text` or `pattern`.", rule),
        { maxItems: maxRules, default: [] },
      ),
      unredacted: list(
        "With `redact`: names of files that are kept as they are, because they are not text.",
        { type: "string", minLength: 1, maxLength: 1_000 } as const,
        { maxItems: 100, default: [] },
      ),
    },
    ["cases"],
    [{ cases: [{ run_id: "0197e1f0-5c1b-7c3a-9d57-0d9a6f3e2b10", turn: 1 }], redact: [{ text: "Ada Lovelace" }] }],
  ),
  Suite: object("A suite with its cases.", { ...head, data: list("The cases, oldest first.", reference("SuiteCase")) }),
  SuiteHead: object("A suite.", head),
  SuiteHeadPage: page(reference("SuiteHead")),
  SuiteCase: object("A copy of a turn. It does not expire. A deletion of the run by hand erases it.", {
    id: uuid("The case's ID. It is the ID of a run that only operators read."),
    ...turn,
    input: text("The first line of its input."),
    kept_by: nullable(text("The operator.")),
    kept_at: time("When it was kept."),
    redacted: integer("Places that were redacted."),
  }),
  AddedCases: object("What was kept.", {
    added: list("The new cases.", reference("SuiteCase")),
    present: list("Cases that the suite had before.", reference("SuiteCase")),
    refused: list(
      "Turns that were not kept.",
      object("A turn, and why.", {
        ...turn,
        reason: text("Why, as sentences."),
        unredacted: list("Files that cannot be redacted. Send these names as `unredacted` to keep them as they are.", {
          type: "string",
        } as const),
      }),
    ),
  }),
};
