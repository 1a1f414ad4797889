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
  sha256,
  text,
  time,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";
import { runStatuses } from "../../../runs/status.ts";
import {
  maxCases,
  maxConcurrency,
  destinationKinds,
  formerModes,
  trialStatuses,
  trialTiers,
  verdicts,
} from "../../../trials/names.ts";
import { suiteNamePattern } from "../../../trials/suites/limits.ts";
import { JsonSchema, TrialAssertion } from "./trial-assertion-schemas.ts";

const range = (description: string) => object(description, { low: number("At least."), high: number("At most.") });
const pair = { recorded: number("Recorded."), tried: number("Tried.") };
const spent = object("What attempts used.", {
  tokens: integer("Input and output tokens."),
  dollars: nullable(number("US dollars. Null: unknown.")),
});
const budget = {
  dollars: number("US dollars. Requires prices.", { exclusiveMinimum: 0 }),
  tokens: integer("Input and output tokens.", { minimum: 1 }),
};
const missRule = {
  description:
    "What a call returns that the record does not answer. `stop`: the case ends as `left_record`. `error`: the model gets an error. `live`: the call is made, if its tool only reads. `{ fixed }`: this text.",
  anyOf: [
    { type: "string", enum: ["stop", "error", "live"] },
    {
      type: "object",
      required: ["fixed"],
      additionalProperties: false,
      properties: { fixed: { type: "string", maxLength: 100_000, description: "The text." } },
    },
  ],
} as const;
const outsideRules = "What happens to calls that leave the service and are not in the record.";
const defaultRule = oneOfTexts("For tools without a rule of their own.", ["stop", "error"]);
const outside = body(outsideRules, {
  default: defaultRule,
  tools: {
    type: "object",
    description: "Rules by the name of a tool.",
    maxProperties: 100,
    additionalProperties: missRule,
  } as const,
});

const configuration = object("A configuration.", {
  version: nullable(integer("The version of the agent. Null: a draft.")),
  hash: sha256("SHA-256 of the definition as canonical JSON."),
  model: nullable(text("The model.")),
});

const judge = object("What judges cases whose output differs.", {
  name: text("Name of the judge."),
  agent_id: nullable(uuid("The agent whose configuration it is. Null: a definition.")),
  version: nullable(integer("The version of the agent. Null: a definition.")),
  hash: sha256("SHA-256 of the definition as canonical JSON."),
  model: nullable(text("The model.")),
});

const summary = object("What the cases say so far. All numbers of cases are counts.", {
  text: text("In one line.", { examples: ["47 tried · 40 same · 2 different · 5 left the record · $1.94 of $2.00"] }),
  verdicts: object(
    "Cases by verdict.",
    Object.fromEntries(verdicts.map((name) => [name, integer(`Cases with the verdict ${name}.`)])) as {
      [Name in (typeof verdicts)[number]]: { type: "integer"; description: string };
    },
  ),
  tried: integer("Cases with a verdict, without those that cannot be tried."),
  open: integer("Cases without a verdict."),
  missing: integer("Cases that left out calls with effects outside the service."),
  preference: text("What better and worse cases say, as a sentence."),
  control: nullableReference(
    "The cases that were tried with the current configuration. Null: none yet.",
    reference("TrialControl"),
  ),
  spent: object("By attempt.", {
    candidate: spent,
    control: spent,
    judge: nullableReference("Of the judge. Null: the trial has none.", reference("TrialSpent")),
  }),
  medians: nullableReference("Null: no case has finished.", reference("TrialMedians")),
});

const head = {
  id: text("The trial's ID."),
  agent_id: uuid("The agent."),
  status: oneOfTexts("`estimated`: nothing was called yet. `stopping`: cases in progress end.", trialStatuses),
  ended_by: nullable(
    oneOfTexts("Why the trial tried no further case. Null: it has not ended, or tried all.", ["budget", "operator"]),
  ),
  created_by: nullable(text("The operator.")),
  created_at: time("When it was created."),
  updated_at: time("When it last changed."),
  mode: oneOfTexts("`rerun`: turns are taken anew. The others are those of trials that earlier releases created.", [
    "rerun",
    ...formerModes,
  ]),
  candidate: reference("TrialConfiguration"),
  control: reference("TrialConfiguration"),
  suite: nullable(text("The suite whose cases it tries. Null: it tries turns of runs.")),
  cases: integer("Number of cases."),
};

/** Trials, and what they are created with. */
export const trialSchemas = {
  CreateTrialRequest: body(
    "A trial of a change of an agent.",
    {
      mode: {
        ...oneOfTexts("Turns are taken anew. Earlier releases had other modes.", ["rerun"]),
        default: "rerun",
      } as const,
      definition: reference("AgentDefinition"),
      version: integer("A version of the agent, in place of `definition`.", { minimum: 1 }),
      last: integer("The last turns that ended with an output.", { minimum: 1, maximum: maxCases }),
      status: list(
        "With `last`: only turns of runs with one of these.",
        { type: "string", enum: [...runStatuses] } as const,
        { maxItems: 4 },
      ),
      label: text("With `last`: only turns of runs with this label, as `KEY=VALUE`.", { pattern: "^[^=]+=" }),
      since: text("With `last`: only turns of runs that were created since this time."),
      runs: list(
        "The turns of these runs, in place of `last`.",
        body(
          "A run, or one of its turns.",
          { run_id: uuid("The run."), turn: integer("The turn. Default: all.", { minimum: 1 }) },
          ["run_id"],
        ),
        { minItems: 1, maxItems: maxCases },
      ),
      suite: text("The cases of this suite, in place of `last`.", { pattern: `^${suiteNamePattern}$` }),
      outside,
      control: integer("Of the first cases, how many are tried with the current configuration, too.", {
        minimum: 0,
        maximum: maxCases,
        default: 10,
      }),
      concurrency: integer("Cases in progress at the same time.", { minimum: 1, maximum: maxConcurrency, default: 4 }),
      tier: oneOfTexts(
        "Service tier of the model calls, in place of that of the definitions, if the provider is known to have it. Default: that of the definitions.",
        trialTiers,
      ),
      assertions: list("Checks of what a tried turn did.", reference("TrialAssertion"), { maxItems: 50, default: [] }),
      judge: body(
        "Compares the recorded and the tried output of each case whose output differs, twice and without knowing which is which: an agent of the same organization with its current version, or a definition. Its instructions say what is better. It has no tools.",
        { agent_id: uuid("The agent."), definition: reference("AgentDefinition") },
        [],
      ),
      budget: body("No case starts beyond it. Required.", budget),
    },
    [],
    [{ version: 3, last: 20, budget: { dollars: 2 } }],
  ),
  JsonSchema,
  TrialAssertion,
  Trial: object("A trial.", {
    ...head,
    definition: reference("AgentDefinition"),
    outside: object(outsideRules, {
      default: defaultRule,
      tools: { type: "object", description: "Rules by the name of a tool.", additionalProperties: missRule } as const,
    }),
    assertions: list("Checks of what a tried turn did.", reference("TrialAssertion")),
    tier: nullable(
      oneOfTexts("Service tier with which models are asked. Null: that of their definitions.", trialTiers),
    ),
    judge: nullableReference("Null: cases whose output differs stay `different`.", reference("TrialJudge")),
    budget: object("No case starts beyond it.", {
      dollars: nullable(number("US dollars. Null: not limited.")),
      tokens: nullable(integer("Tokens. Null: not limited.")),
    }),
    estimate: reference("TrialEstimate"),
    remaining: nullableReference(
      "What the rest of the trial will use, as measured. Null: too few cases have ended.",
      reference("TrialSpent"),
    ),
    summary,
  }),
  TrialConfiguration: configuration,
  TrialSpent: spent,
  TrialJudge: judge,
  TrialEstimate: object("What the trial is expected to cost, and what it sends where. Nothing was called for it.", {
    cases: integer("Cases that can be tried."),
    tokens: nullableReference("Null: the usage of no recorded turn is known.", reference("TrialRange")),
    dollars: nullableReference("Null: unknown.", reference("TrialRange")),
    notes: list("What the estimate does not say, as sentences.", { type: "string" } as const),
    sends: list(
      "Where texts and files of recorded runs are sent, and which hosts are connected to.",
      object("A host.", {
        host: text("Name of the host."),
        for: oneOfTexts(
          "`model`: the model's API. `judge`: the API of the judge's model, which gets inputs, outputs and names of files. `mcp_list`: an MCP server, whose tools are listed. `live_calls`: calls that a rule lets leave the service.",
          destinationKinds,
        ),
        inputs: integer("Inputs that are sent."),
        files: integer("Files that the model can read."),
        new: flag("Not all recorded turns have used it."),
      }),
    ),
  }),
  TrialRange: range("At least and at most."),
  TrialControl: object("Cases that were tried with the current configuration.", {
    cases: integer("How many have ended."),
    differ: integer("Of them, those that did not end as recorded."),
    left_record: integer("Of those, the ones that left the record."),
    cannot_judge: nullable(text("Why the trial cannot judge the change, as a sentence. Null: it can.")),
  }),
  TrialMedians: object("Medians of the recorded turns, and of the same turns as tried.", {
    cases: integer("Cases that both finished."),
    steps: object("Model calls.", pair),
    dollars: nullableReference("US dollars. Null: unknown.", reference("TrialPair")),
    seconds: object("Seconds.", pair),
  }),
  TrialPair: object("A recorded and a tried value.", pair),
  TrialHeadPage: page(reference("TrialHead")),
  TrialHead: object("A trial, without its settings.", { ...head, summary: text("In one line.") }),
};
