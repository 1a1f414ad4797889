import { PublicAgentFileInput } from "../../../v1/contract.ts";
import { reference } from "../../../http/description.ts";
import { at } from "../../../http/rest/parameters.ts";
import { agentDefinition } from "../../../accounts/agents/agent-schema.ts";
import { textKinds } from "../../../runs/read/search/search-bounds.ts";
import {
  createdFields,
  newRunFields,
  runFields,
  starterKind,
  turnFields,
} from "../../../http/rest/schemas/run-schemas.ts";
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
  text,
  time,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";

const run = {
  ...runFields,
  agent_id: text("The agent. Of an attempt of a trial, which belongs to none: the trial."),
  agent_name: nullable(text("The agent's name now.")),
  organization_id: text("The organization that owns the agent. Of an attempt of a trial: the trial."),
  started_by: nullableReference("Who created it. Null: an earlier release did.", reference("Starter")),
  imported_from: nullableReference(
    "What was imported as this run, which is read-only. Null: the service recorded it.",
    reference("ImportOrigin"),
  ),
};

const starter = {
  kind: starterKind,
  id: text("The ID of the key, or the operator as in the audit."),
  name: text("The name of the key or operator. For a key without a name: its first characters."),
};

export const runSchemas = {
  Run: object("One execution of an agent.", run),
  Starter: object("Who created a run.", starter),
  ImportOrigin: object("The bundle that a run was imported from.", {
    run_id: text("The ID of the run that was recorded."),
    bundle_sha256: text("SHA-256 of the bundle, in hex digits."),
    created_at: nullable(time("When the recorded run was created. Null: the imported run was deleted.")),
    updated_at: nullable(time("When it last changed. Null as before.")),
  }),
  RunPage: object("A page.", {
    data: list("In the order of the request.", reference("Run")),
    next: nullable(text("Value of `cursor` for the next page. Null: there are no more.")),
    complete: flag("False: more runs match than the newest 1,000, which were sorted."),
  }),
  CreatedRun: object("A run that was created, with the names of its files.", { ...run, ...createdFields }),
  RunDetail: object("One execution of an agent, with the limits of its turn.", {
    ...run,
    ...turnFields,
    agent_version: nullable(integer("The version of the agent that the current turn runs on.")),
    environment: nullableReference(
      "The environment in which the current turn's programs run. Null: it has none, it has no answer yet, or it is not recorded.",
      reference("UsedEnvironment"),
    ),
    agent_status: nullable(oneOfTexts("The agent's status now.", ["active", "archived", "deleted"])),
  }),
  WaitingRunList: object("Runs that wait for answers.", {
    data: list("Those whose time ends first at the beginning.", reference("WaitingRun")),
    more: flag("True: more runs wait."),
  }),
  WaitingRun: object("A run that waits for answers.", {
    run: reference("Run"),
    open_calls: list("The calls that wait.", reference("OpenCall")),
  }),
  RunCounts: object("How many runs have each state and each value of a filter, of the newest 1,000.", {
    running: integer("Running, or waiting for a slot."),
    waiting: integer("Waiting for answers."),
    finished: integer("Finished with an output."),
    waiting_for_input: integer("Finished, because they were created without input."),
    technical_error: integer("Ended with an error."),
    terminated: integer("Stopped or deleted."),
    models: list("By the model of the last answer, those with most runs.", reference("ValueCount")),
    tools: list("By the tools that were called, those with most runs. A run counts for each.", reference("ValueCount")),
    categories: list("By the category of the failure.", reference("ValueCount")),
    starters: list("By who created them, those with most runs.", reference("StarterCount")),
    labels: list("By label, as `KEY=VALUE`, those with most runs.", reference("ValueCount")),
    runs: integer("Runs that pass all conditions."),
    dollars: number("What they cost, as far as it is known."),
    tokens: integer("Input and output tokens of them."),
    median_seconds: nullable(number("Median of the time that their turns took. Null: no run.")),
    complete: flag("False: there are older runs, which are not counted."),
  }),
  ValueCount: object("A value and its runs.", {
    value: text("The value."),
    count: integer("Runs that have it and pass all other conditions."),
  }),
  StarterCount: object("Who created runs, and how many.", {
    ...starter,
    count: integer("Runs that have it and pass all other conditions."),
  }),
  FoundTexts: object("What a search in recorded texts found.", {
    data: list("Runs with matches, the newest first.", reference("FoundRun")),
    more: flag("True: more runs match."),
    searched_runs: integer("The newest runs, of which all records were searched."),
    since: time("Only runs that were created since then were searched."),
    complete: flag("False: there are more runs since then, or more records, than were searched."),
  }),
  FoundRun: object("A run with matches.", {
    run: reference("Run"),
    texts: list("The first matches.", reference("FoundText")),
    more: flag("True: the run has more matches."),
  }),
  FoundText: object("A text with all words.", {
    kind: oneOfTexts("What it is.", textKinds),
    turn: integer("The turn."),
    step: nullable(integer("The step. Null: it is an input or output, or why the turn failed.")),
    call: nullable(integer("The tool call of the step, from 0. Null: it is no part of one.")),
    tool: nullable(text("The name of the tool. Null: it is no part of a call.")),
    sequence: nullable(integer("The number of its event. Null: why the turn failed is no event.")),
    excerpt: list("The surroundings of the first match, in parts.", reference("ExcerptPart")),
  }),
  ExcerptPart: object("A part of an excerpt.", { text: text("The text."), match: flag("True: it was searched for.") }),
  FileInput: PublicAgentFileInput,
  CreateRunRequest: body(
    "A run to create, with its first input and files.",
    {
      agent_id: uuid("The agent."),
      name: text("Display name. Not blank.", {
        minLength: 1,
        maxLength: 200,
        pattern: "\\S",
        examples: ["Weekly report"],
      }),
      input_text: nullable(
        text("The first input. Without it, no turn starts, and the run waits for input.", { minLength: 1 }),
      ),
      ...newRunFields,
    },
    ["agent_id", "name"],
  ),
  ForkRunRequest: body(
    "Where to fork a run, and what is different from there. Of `model`, `instructions` and `tools`, those that are left out stay as they were recorded.",
    {
      at: {
        ...at.schema,
        description:
          "The last step to copy, as `TURN.STEP`. `2.0` copies up to the input of turn 2, which then begins anew.",
      },
      name: text("Display name. Not blank. Default: `Fork of` and the name of the run.", {
        minLength: 1,
        maxLength: 200,
        pattern: "\\S",
      }),
      model: agentDefinition.properties.model,
      instructions: agentDefinition.properties.instructions,
      tools: list("Names of the built-in tools that the model can call.", agentDefinition.properties.tools.items, {
        uniqueItems: true,
      }),
      definition: reference("AgentDefinition"),
      version: integer("A version of the agent, in place of `definition`.", { minimum: 1 }),
      input_text: text("Replaces the input of the turn. Only with step 0.", { minLength: 1 }),
      results: list("Results in place of those of calls of the step.", reference("GivenResult"), {
        minItems: 1,
        maxItems: 128,
      }),
    },
    ["at"],
    [{ at: "1.3", model: "another-model" }],
  ),
  GivenResult: body(
    "A text that the model gets as the result of a call. The files stay as the call left them.",
    { call: integer("The tool call of the step, from 0.", { minimum: 0 }), text: text("The result.") },
    ["call", "text"],
  ),
};
