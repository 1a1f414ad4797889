import { reference } from "../../../http/description.ts";
import {
  body,
  flag,
  integer,
  list,
  nullable,
  nullableReference,
  number,
  object,
  oneOfTexts,
  page,
  text,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";
import { verdicts } from "../../../trials/names.ts";

const verdict = oneOfTexts(
  "`cannot_be_tried`: something of the record is gone. `left_record`: a call left the service that the record does not answer. `failed`. `assertion_broken`. `same`: equal output, but for white space, equal files, and all calls with effects. `different`. `better`, `worse`, `equal`: the judge's, or a person's. `unclear`: the votes of the judge differ, or it did not answer.",
  verdicts,
);
const used = object("What the turn used.", {
  steps: integer("Model calls."),
  tokens: integer("Input and output tokens."),
  dollars: nullable(number("US dollars. Null: unknown.")),
  seconds: number("Seconds."),
});

/** Files that differ from others. `against`: from which. */
export const fileDifferences = (description: string, against: string) =>
  list(
    description,
    object("A file.", { name: text("Name."), change: oneOfTexts(against, ["added", "removed", "changed"]) }),
  );

/** The cases of trials, their attempts and verdicts. */
export const trialCaseSchemas = {
  TrialCase: object("A recorded turn that is tried.", {
    number: integer("From 1."),
    run_id: uuid("The recorded run."),
    turn: integer("The turn."),
    input: text("The first line of its input, at most 200 characters of it."),
    verdict: nullable(verdict),
    judged_by: nullable(text("The operator who gave the verdict. Null: it is computed, or the judge's.")),
    judgement: nullableReference(
      "Of the judge. A person's verdict replaces it. Null: it was not asked.",
      reference("TrialJudgement"),
    ),
    cannot_be_tried: nullable(text("Why not, as a sentence. Null: it can.")),
    recorded: used,
    candidate: nullableReference("Null: not tried yet.", reference("TrialAttempt")),
    control: nullableReference("With the current configuration. Null: it is not tried.", reference("TrialAttempt")),
  }),
  TrialJudgement: object("What the judge says about a case.", {
    verdict: nullable(
      oneOfTexts("`unclear`: the votes differ, or one is missing. Null: it is being asked, or was stopped.", [
        "better",
        "worse",
        "equal",
        "unclear",
      ]),
    ),
    reason: nullable(text("Why, as a sentence. In the judge's words, A is the recorded output. Null: no verdict.")),
    votes: list(
      "Its votes, first with the recorded output as A, and then with the candidate's.",
      object("A vote.", {
        run_id: uuid("The run of the vote."),
        a: oneOfTexts("Which output was A.", ["recorded", "candidate"]),
        better: nullable(
          oneOfTexts("The output that is better. Null: it has not voted.", ["recorded", "candidate", "equal"]),
        ),
        reason: nullable(text("In the judge's words, or why it did not vote. Null: it is being asked.")),
        used: nullableReference("Null: in progress.", reference("TrialUsed")),
      }),
    ),
  }),
  TrialAttempt: object("An attempt at a case.", {
    run_id: uuid("The run of the attempt."),
    ended: nullable(oneOfTexts("Null: in progress.", ["finished", "failed", "left_record", "stopped"])),
    reason: nullable(text("Why it failed or left the record, as a sentence. Null: it did not.")),
    same_output: nullable(
      flag("Whether the output is the recorded one, but for white space. Null: it did not finish."),
    ),
    files: fileDifferences("Files that differ from those after the recorded turn.", "Against the recorded turn."),
    missing: list(
      "Calls with effects that the attempt made less often than the recorded turn: of client tools, of MCP tools that are not read-only, and those that somebody allowed. Calls with other arguments count as other calls.",
      object("Calls of a tool.", {
        tool: text("Name of the tool."),
        recorded: integer("How many the recorded turn made, of those that are missing in part."),
        tried: integer("How many of these the attempt made."),
      }),
    ),
    assertions: list(
      "Broken assertions.",
      object("An assertion.", {
        assertion: integer("Index in the trial's assertions, from 0."),
        reason: text("Why it does not hold."),
      }),
    ),
    misses: list(
      "Calls that the record did not answer and that did not end the attempt.",
      object("A call.", {
        tool: text("Name of the tool."),
        rule: oneOfTexts("What answered it.", ["error", "live", "fixed"]),
      }),
    ),
    used: nullableReference("Null: in progress.", reference("TrialUsed")),
  }),
  TrialUsed: used,
  TrialCasePage: page(reference("TrialCase")),
  TrialCaseDetail: object("A case with the texts and the calls of both turns.", {
    case: reference("TrialCase"),
    input: text("The input of the turn."),
    recorded_output: nullable(text("The recorded output.")),
    candidate_output: nullable(text("The output of the candidate. Null: none.")),
    control_output: nullable(text("The output of the current configuration. Null: none.")),
    calls: list(
      "The tool calls of the recorded turn and of the candidate, side by side.",
      object("A pair of calls, or one that the other turn does not have.", {
        recorded: nullableReference("Null: only the candidate has made it.", reference("TrialCall")),
        candidate: nullableReference("Null: the candidate has not made it.", reference("TrialCall")),
        same: flag("Whether both have the same arguments."),
      }),
    ),
    first_difference: nullable(integer("Index in `calls`. Null: there is none.")),
  }),
  TrialCall: object("A tool call.", {
    step: integer("The step, from 1."),
    name: text("Name of the tool."),
    arguments: text("JSON text."),
    is_error: nullable(flag("Whether it failed. Null: it has no result.")),
    result: nullable(text("The first 2,000 characters of the result. Null: it has none.")),
  }),
  SetVerdictRequest: body(
    "A person's verdict.",
    { verdict: nullable(oneOfTexts("Null: the computed one applies again.", verdicts)) },
    ["verdict"],
  ),
};
