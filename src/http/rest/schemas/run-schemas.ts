import { configurationName, maxWebhookUrl } from "../../../accounts/account-limits.ts";
import { starterKinds } from "../../../accounts/starter.ts";
import { labelNamePattern, maxLabelLength, maxLabels } from "../../../runs/labels.ts";
import { askKinds } from "../../../agent/ask-kinds.ts";
import { newRunLimits } from "../../../runs/begin/new-run-limits.ts";
import { tokenSeconds } from "../../../runs/token-limits.ts";
import { runStates, runStatuses } from "../../../runs/status.ts";
import { reference } from "../../description.ts";
import {
  body,
  integer,
  list,
  nullable,
  nullableReference,
  number,
  object,
  oneOfTexts,
  page,
  sha256,
  text,
  time,
  uuid,
} from "./schema-builders.ts";

const limitNames = ["steps", "tokens", "seconds", "inputTokens", "outputTokens", "dollars"] as const;
const finishReasons = [
  "completed",
  ...limitNames,
  ...limitNames.map((name) => `run_${name}` as const),
  "answer_length",
  "answer_filtered",
] as const;

const finishReason = oneOfTexts(
  "Why the turn ended: `completed`, at a limit of the turn or (`run_…`) of the run, or with an output that the provider cut or filtered.",
  finishReasons,
);

/** How a run was started. */
export const starterKind = oneOfTexts(
  "`key`: with an API key. `mcp`: by an MCP client. `operator`: in the console or with the management API or CLI.",
  starterKinds,
);

/** Fields of a run. */
export const runFields = {
  id: uuid("The run's ID: `agent_id` in v1."),
  name: text("Display name."),
  labels: {
    type: "object",
    description: "The labels. Empty: none.",
    additionalProperties: { type: "string" },
    examples: [{ customer: "4711" }],
  } as const,
  status: oneOfTexts("The status that v1 reports.", runStatuses),
  state: oneOfTexts(
    "The status in more detail. `waiting_for_slot`: running, but a quota delays the start of the turn. `waiting`: running, but tool calls wait for answers. `waiting_for_input`: finished, because it was created without input.",
    runStates,
  ),
  turn: integer("Number of turns that were started. 0: the run has had no input."),
  queued_inputs: integer("Inputs that wait for the turn in progress to end."),
  created_at: time("When it was created."),
  updated_at: time("When status or turn last changed."),
  sequence: integer("Number of the last event. 0: none."),
  chosen: nullableReference("What its create chose. Null: nothing.", reference("ChosenSettings")),
  model: nullable(text("The model of the last model call.")),
  usage: reference("Usage"),
  failure: nullableReference("With `technical_error`: why.", reference("Failure")),
  finish_reason: nullable(finishReason),
  input_excerpt: nullable(text("The first 200 characters of the first input.")),
  activity: nullableReference("What a running run does now.", reference("Activity")),
};

/** Fields of a run that was just created. */
export const createdFields = {
  files: list("Its files, in the order of the create. Empty: none, or the run was deleted.", reference("CreatedFile")),
};

/** How long a new token of a run is valid. */
export const tokenLifetime = integer("Seconds until it expires.", {
  minimum: tokenSeconds.least,
  maximum: tokenSeconds.most,
  default: tokenSeconds.default,
});

const runToken = {
  id: text("The token's ID.", { examples: ["9f86d081884c7d65"] }),
  created_at: time("When it was created."),
  expires_at: time("When it expires."),
};

/** Labels as a request sets them. */
const newLabels = {
  type: "object",
  description: `Your own texts, to find the run again: at most ${maxLabels}.`,
  maxProperties: maxLabels,
  propertyNames: { type: "string", pattern: `^${labelNamePattern}$` },
  additionalProperties: { type: "string", maxLength: maxLabelLength },
  examples: [{ customer: "4711" }],
} as const;

/** The schema of the results of a new run. */
const newResultSchema = {
  type: "object",
  description:
    "JSON Schema (2020-12 or draft-07) of the run's results, in place of the agent's, if the agent file sets `result.perRun`. At most 64 KB.",
  additionalProperties: true,
  examples: [{ type: "object", properties: { total: { type: "number" } }, required: ["total"] }],
} as const;

/** Where the ends of a new run are reported. */
const newWebhook = body(
  "Where the ends of this run's turns are reported, in place of the agent's webhook URL. Requires a webhook of the agent, whose secret signs the messages.",
  {
    url: text("An `https` URL.", {
      minLength: 1,
      maxLength: maxWebhookUrl,
      examples: ["https://example.com/hook"],
    }),
  },
  ["url"],
);

/** Fields of a create. */
export const newRunFields = {
  files: list(
    "Combined decoded size at most 10 MiB. The input can refer to files by filename.",
    { $ref: reference("FileInput").$ref },
    { maxItems: newRunLimits.files },
  ),
  labels: newLabels,
  result_schema: newResultSchema,
  model: text("The model of the run: a name of `runModels` of the agent file. Default: the agent's model.", {
    pattern: configurationName,
    examples: ["fast"],
  }),
  limits: body(
    "Limits of each turn and of all turns together, each at or below the agent's. If the agent's is lower later, that applies.",
    {
      turn: reference("LimitsInput"),
      run: reference("LimitsInput"),
    },
  ),
  webhook: newWebhook,
};

const limitSet = nullableReference("Null: not recorded yet.", reference("Limits"));

/** Fields of the current turn of a run. */
export const turnFields = {
  limits: object("Limits of the current turn's configuration.", { turn: limitSet, run: limitSet }),
  turn_usage: reference("Usage"),
  turn_started_at: nullable(
    time(
      "When the current turn's input was accepted, while it is running later by the time that it has waited. Null: it waits.",
    ),
  ),
  open_calls: list("Tool calls that wait for answers. Empty unless `state` is `waiting`.", reference("OpenCall")),
  result_error: nullableReference(
    "Why the output of the last turn is no result of the agent's schema. Null: it is one, the turn has no schema, or it has no output yet.",
    reference("ResultError"),
  ),
};

/** The place of a tool call in a run. */
const callId = text("The call's ID: `TURN.STEP.CALL`, the call from 0.", {
  pattern: "^[0-9]{1,9}\\.[0-9]{1,9}\\.[0-9]{1,9}$",
  examples: ["1.2.0"],
});

/** Characters of a text in an answer. */
const maxAnswer = 1_000_000;

/** Parts of a run, and its files. */
export const runPartSchemas = {
  OpenCall: object("A tool call that waits for an answer.", {
    id: callId,
    kind: oneOfTexts(
      "`approval`: it runs when it is allowed. `client_tool`: the caller's program runs it. `question`: a person answers.",
      askKinds,
    ),
    name: text("Name of the tool."),
    arguments: text("The exact arguments, as JSON text.", { examples: ['{"to":"a@example.com"}'] }),
    arguments_sha256: sha256("SHA-256 of `arguments`. An answer names it."),
    since: time("Since when it waits."),
    until: time("Until when. Then it is denied or not available, and the turn continues."),
  }),
  AnswerCallRequest: body(
    "An answer to a tool call. An approval has `decision`; a client tool and a question have `output` or `error`.",
    {
      call: callId,
      arguments_sha256: sha256("That of the call, as it was shown."),
      decision: oneOfTexts("`allow`: the call runs. `deny`: the model is told that it was denied.", ["allow", "deny"]),
      reason: text("With `deny`: why, for the model.", { maxLength: 10_000 }),
      output: {
        description: "The result, for the model: a text, or JSON, which the model reads as text.",
        examples: [{ in_stock: 4 }],
      },
      error: text("Why there is no result, for the model.", { minLength: 1, maxLength: maxAnswer }),
      files: list(
        "With `output`: files to write to the workspace. Combined decoded size at most 10 MiB.",
        { $ref: reference("FileInput").$ref },
        { maxItems: newRunLimits.files },
      ),
    },
    ["call", "arguments_sha256"],
    [{ call: "1.2.0", arguments_sha256: "5f".repeat(32), output: { in_stock: 4 } }],
  ),
  ResultError: object("Why a result does not fit its schema.", {
    message: text("The problems in one sentence.", {
      examples: ['The result does not fit its schema: /total: expected number, received "12".'],
    }),
    problems: list("The problems, at most ten.", reference("ResultProblem")),
  }),
  ResultProblem: object("Where a result does not fit its schema.", {
    place: text("JSON Pointer of the value. Empty: the whole result.", { examples: ["/lines/0/amount"] }),
    expected: text("What the schema accepts there.", { examples: ["number"] }),
    received: text("The value as JSON, cut after 200 characters, or `nothing`.", { examples: ['"12"'] }),
  }),
  Activity: object("What a running run does now.", {
    kind: oneOfTexts("`retry_wait`: a model call failed and is repeated later.", [
      "starting",
      "model_call",
      "tool_calls",
      "retry_wait",
    ]),
    turn: integer("The turn."),
    step: integer("The step, from 1."),
    tools: list("With `tool_calls`: names of the tools whose results are missing.", { type: "string" }),
    since: time("Since when."),
    until: nullable(time("With `retry_wait`: when the call is repeated.")),
  }),
  Limits: object(
    "Limits as in an agent definition. A limit that is left out does not apply.",
    Object.fromEntries(
      limitNames.map((name) => [name, number(`See \`limits.${name}\` of the agent definition.`)] as const),
    ) as Record<(typeof limitNames)[number], { type: "number"; description: string }>,
    limitNames,
  ),
  ChosenSettings: object("What a create chose for its run.", {
    model: nullable(text("The name of the model in `runModels` of the agent file. Null: the agent's model.")),
    limits: object("Limits that it set. The lower one of these and the agent's applies.", {
      turn: reference("Limits"),
      run: reference("Limits"),
    }),
  }),
  // One schema for both: the validators of the functions on AWS contain it once. What the agent has bounds the numbers.
  LimitsInput: body("Limits as in an agent definition. Those that are left out stay the agent's.", {
    steps: integer("Model calls.", { minimum: 1 }),
    tokens: integer("Input and output tokens.", { minimum: 1 }),
    seconds: integer("Elapsed seconds.", { minimum: 1 }),
    inputTokens: integer("Input tokens.", { minimum: 1 }),
    outputTokens: integer("Output tokens.", { minimum: 1 }),
    dollars: number("Cost in US dollars. Requires `prices` in the agent file.", { exclusiveMinimum: 0 }),
  }),
  CreatedFile: object("A file of a create.", {
    name: text("Name in the run: without folders, with ` (2)` if the create has it twice.", {
      examples: ["q3 (2).csv"],
    }),
    sent_as: nullable(text("The name that the create sent. Null: the same name.", { examples: ["reports/q3.csv"] })),
  }),
  RunFile: object("A file of a run.", {
    name: text("Name: a path, with slashes for folders.", { examples: ["reports/q3.csv"] }),
    size: integer("Bytes."),
    sha256: nullable(sha256("SHA-256 of the content. Null: an earlier release wrote it.")),
    sent_as: nullable(
      text("The name that the create sent. Null: the same name, not a file of the create, or not recorded."),
    ),
    changed_at_step: nullable(text("The step that last changed it, as `TURN.STEP`. Null: an upload, or not recorded.")),
    kind: oneOfTexts(
      "A symbolic link has its target as its content, and is not followed. A folder is listed if no file is in it; its content is empty.",
      ["file", "link", "folder"],
    ),
    mode: text("Permissions that programs see, in octal digits.", { examples: ["644"] }),
    modified_at: nullable(time("When it was last modified. Null: not recorded.")),
  }),
  CreateRunTokenRequest: body("A token to create.", { expires_in: tokenLifetime }),
  CreatedRunToken: object("A token that was created.", {
    token: text("The token.", { examples: ["rt_0198…"] }),
    ...runToken,
  }),
  RunToken: object("A token that reads a run.", runToken),
  RunTokenList: page(reference("RunToken"), "Always null: the list has all tokens, oldest first."),
  CreateInputRequest: body(
    "An input for a run.",
    { input_text: text("The input.", { minLength: 1, examples: ["Now do the same for May."] }) },
    ["input_text"],
  ),
  UpdateRunRequest: body("What to change of a run.", { labels: newLabels }, ["labels"]),
  RunFilePage: page(reference("RunFile"), "Always null: the list has all files."),
};
