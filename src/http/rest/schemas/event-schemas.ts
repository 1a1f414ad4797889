import { starterKinds } from "../../../accounts/starter.ts";
import { askKinds } from "../../../agent/ask-kinds.ts";
import { failureCategories } from "../../../agent/model.ts";
import { programSystems } from "../../../agent/tools/program-system.ts";
import { resumeReasons } from "../../../agent/turn/resume-reason.ts";
import type { Schema } from "../../../json-schema.ts";
import { reference } from "../../description.ts";
import {
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
} from "./schema-builders.ts";

const cut = {
  type: "object",
  description:
    "Texts that were cut, by their path in the event, with their full length in characters. Left out: none was cut.",
  additionalProperties: { type: "integer" },
  examples: [{ text: 123_456, "tool_calls.0.arguments": 99_999 }],
} as const;
const step = integer("The step, from 1.");
const call = integer("Position of the call in the answer, from 0.");
const toolName = text("Name of the tool.");
const recordedName = nullable(text("Name of the tool. Null: an earlier release recorded it."));
const milliseconds = nullable(integer("Duration. Null: not recorded."));
/** What a model call used. */
const used = {
  usage: nullableReference("Tokens as the provider reported them. Null: it reported none.", reference("TokenUsage")),
  dollars: nullable(number("Cost in US dollars. Null: no prices, or no reported tokens.")),
  estimated_usage: nullableReference(
    "An estimate by the length of the texts, on which limits act. Null: the provider reported the tokens.",
    reference("TokenUsage"),
  ),
  estimated_dollars: nullable(number("Cost of the estimated tokens in US dollars. Null: no prices, or no estimate.")),
};
/** Which model answered in place of the first one. Left out of most events, so that they stay short. */
const fallback = object(
  "The agent's fallback was asked, because its first model had failed after its retries. Left out: the first model was asked.",
  {
    model: nullable(text("The model that was asked.")),
    configuration: nullable(text("Name of its model configuration. Null: the organization's model.")),
    category: oneOfTexts("The kind of failure of the first model.", failureCategories),
    title: text("Why the first model did not answer."),
  },
);
const file = object(
  "A file with the content that the call wrote, or a file that it deleted.",
  {
    name: text("Name.", { examples: ["reports/q3.csv"] }),
    size: integer("Bytes. 0: it is empty or deleted."),
    sha256: nullable(sha256("SHA-256 of the content. Null: deleted, or not recorded.")),
    deleted: flag("True: the call deleted the file. Left out: it wrote the file."),
    kind: oneOfTexts("`link`: a symbolic link. Left out: a file. Folders are not listed.", ["link"]),
  },
  ["deleted", "kind"],
);
/** A file that is attached to a message. */
export const attachment = object("A file that the model sees as it is.", {
  name: text("Name."),
  media_type: nullable(text("Type.", { examples: ["image/png"] })),
  sha256: nullable(sha256("SHA-256 of the content that is shown. Null: the content at the time of the call.")),
});

/** An event type. `cut` is only there when a text was cut. */
function event<
  const Type extends string,
  const Fields extends Record<string, Schema>,
  const Optional extends keyof Fields & string = never,
>(type: Type, description: string, fields: Fields, optional: Optional[] = []) {
  const of = {
    type: { type: "string", const: type, description: "The kind of event." } as const,
    sequence: nullable(integer("Number of the event, from 1. Null: an earlier release recorded it.")),
    at: nullable(time("When it was recorded. Null: an earlier release recorded it.")),
    turn: integer("The turn, from 1."),
    release: text(
      "The release of the service that recorded it. Left out: that of the event before in the turn, or 0.2.0 or earlier.",
    ),
  };
  return object(description, { ...of, ...fields, cut }, ["release", "cut", ...optional]);
}

/** Events of runs. */
export const eventSchemas = {
  InputEvent: event("input", "An input that was accepted.", {
    text: text("The input."),
    agent_version: nullable(integer("The version of the agent that the turn begins with.")),
    started_by: nullable(
      oneOfTexts("Who sent it. Null: it came with the create, or an earlier release recorded it.", starterKinds),
    ),
  }),
  OutputEvent: event("output", "The output of a turn.", { text: text("The output.") }),
  ModelCallEvent: event(
    "model_call",
    "A model's answer. It is recorded before its tool calls run.",
    {
      step,
      text: text("The text of the answer."),
      reasoning: nullable(
        text("The model's reasoning before the answer. Null: the provider sent none, or it is not recorded."),
      ),
      reasoning_ms: nullable(integer("How long the reasoning arrived. Null: not recorded.")),
      tool_calls: list("The tool calls that the answer asks for.", reference("ToolCall")),
      model: nullable(text("The model.")),
      finish_reason: text("Why the model stopped.", {
        enum: ["stop", "tool-calls", "length", "content-filter", "other"],
      }),
      ended: nullable(text("If the answer ends the turn: the turn's finish reason.")),
      ...used,
      milliseconds,
      first_token_ms: nullable(
        integer(
          "Of them, those until the first part of the answer, or of the reasoning before it. Null: not recorded.",
        ),
      ),
      result_problems: nullable(
        list(
          "Where the text does not fit the schema of the agent's results. Empty: it fits. Null: it was not checked, because the turn has no schema, or continues with tool calls.",
          reference("ResultProblem"),
        ),
      ),
      note: nullable(text("The message that the service added before the answer.")),
      configuration: nullable(sha256("SHA-256 of what the turn runs on. Only the first answer of a turn has it.")),
      agent_version: nullable(integer("The version of the agent. Only the first answer of a turn has it.")),
      truncated_results: nullable(
        integer("Number of messages with tool results that were truncated for this answer, from the first one."),
      ),
      fallback,
    },
    ["fallback"],
  ),
  ToolStartedEvent: event("tool_started", "A tool call that must not be repeated is about to start.", { step, call }),
  CallAskedEvent: event("call_asked", "A tool call waits for an answer. No process works on the turn.", {
    step,
    call,
    name: recordedName,
    kind: oneOfTexts("What it waits for.", askKinds),
    until: time("Until when."),
  }),
  CallAnsweredEvent: event("call_answered", "The answer to a tool call that waited.", {
    step,
    call,
    name: recordedName,
    answer: oneOfTexts(
      "`allow`: the call runs. `deny`: it does not. `output` and `error`: its result. `expired`: nobody answered in time.",
      ["allow", "deny", "output", "error", "expired"],
    ),
    text: nullable(text("The reason, output or error. Null: there is none.")),
    files: list("Files of the output.", file),
    answered_by: nullable(oneOfTexts("Who answered. Null: nobody, it expired.", starterKinds)),
    answered_by_name: nullable(
      text(
        "The name of the key, or in the management API of the operator, that answered. Null: it has none, or the names of operators are not for the caller.",
      ),
    ),
  }),
  ToolResultEvent: event(
    "tool_result",
    "The result of a tool call.",
    {
      step,
      call,
      name: toolName,
      text: text("The result as the model sees it."),
      is_error: flag("Whether the call failed."),
      milliseconds,
      files: list("Files that the call changed or deleted.", file),
      attachments: list("Files that the model sees as they are.", attachment),
      system: object("What ran the programs of the call. Left out: it ran none, or an earlier release recorded it.", {
        kind: oneOfTexts("A Linux environment, or WebAssembly.", programSystems),
        digest: nullable(text("Identifies the content of the Linux environment. Null: WebAssembly.")),
      }),
      structured: text(
        "The structured result of an MCP server as JSON, which models do not see. Left out: there was none, it is in `text`, " +
          "or it has more than 100,000 characters.",
      ),
    },
    ["system", "structured"],
  ),
  SummaryEvent: event(
    "summary",
    "A summary that replaces the first messages of the conversation.",
    {
      step,
      text: text("The summary."),
      messages: integer("Number of messages that it replaces."),
      through_turn: integer("The last earlier turn that it covers. 0: none."),
      ...used,
      milliseconds,
      fallback,
    },
    ["fallback"],
  ),
  ModelCallFailedEvent: event(
    "model_call_failed",
    "A model call that failed.",
    {
      step,
      category: oneOfTexts("The kind of failure.", failureCategories),
      title: text("What happened."),
      attempt: integer("Counts the calls of the step, from 1."),
      milliseconds: integer("Duration of the call."),
      wait_ms: nullable(integer("Planned milliseconds until the next attempt.")),
      last: flag("No further attempt is made now."),
      ...used,
      usage: nullableReference(
        "Tokens as the provider reported them for an answer that broke off. Null: it reported none.",
        reference("TokenUsage"),
      ),
      estimated_usage: nullableReference(
        "An estimate of what it has used: the server answered, and may charge for it. Null: it did not, or it reported the tokens.",
        reference("TokenUsage"),
      ),
      fallback,
    },
    ["fallback"],
  ),
  ResumedEvent: event(
    "resumed",
    "A process continues the turn of one that was interrupted. Waits and pauses that were planned have no event, nor have " +
      "interruptions of earlier releases and, on one machine, those before the first answer of a turn.",
    {
      step: integer("The step that continues, from 1."),
      instance: text("Random id of the process that continues the turn."),
      reason: oneOfTexts(
        "`restart`: the service was stopped or killed, and started again. `lease_expired`: the process before did not renew its " +
          "lease: it crashed, timed out, was suspended, or could not reach the store. `retry`: the turn had ended with an error, and an operator retried it.",
        resumeReasons,
      ),
      repeats: oneOfTexts(
        "What may be done twice: one model call, or tool calls. A tool call that must not be repeated is not: its result says so.",
        ["model_call", "tool_calls"],
      ),
      calls: list("Positions of the tool calls that had no result, from 0. Empty for `model_call`.", call),
    },
  ),
  ForkedEvent: event(
    "forked",
    "The events before it were copied from another run, and the turn continues on its own from here.",
    {
      step: integer("The last step that was copied, from 1. 0: no step, the turn begins anew."),
      from_run: text("Id of the run that they were copied from. It may have been deleted."),
    },
  ),
  Event: {
    description: "One recorded event of a run. `type` says which.",
    oneOf: (
      [
        "Input",
        "Output",
        "ModelCall",
        "ToolStarted",
        "CallAsked",
        "CallAnswered",
        "ToolResult",
        "Summary",
        "ModelCallFailed",
        "Resumed",
        "Forked",
      ] as const
    ).map((name) => reference(`${name}Event`)),
  },
  EventPage: page(reference("Event"), "Value of `after` for the next page. Null: there are no more events now."),
  ToolCall: object(
    "A tool call that a model asked for.",
    {
      name: toolName,
      arguments: text("The arguments, as JSON text."),
      sent_name: text("The name as the model sent it. Left out: the same."),
      sent_arguments: text("The arguments as the model sent them, as JSON text. Left out: the same."),
    },
    ["sent_name", "sent_arguments"],
  ),
};
