import * as toolInputs from "../../../dist/generated/tool-inputs.js";
import { inexactNumber } from "../../json.ts";
import type { ProgramOwner } from "../../sandbox/sandbox-types.ts";
import type { AskKind } from "../ask-kinds.ts";
import type { ToolCall, ToolDefinition, ToolResult } from "../model.ts";
import type { ProgramSystem } from "./program-system.ts";
import type { Files } from "./files/files.ts";
import type { ResultPlace } from "./result-numbers.ts";

/**
 * Result text for the model. The text of an `error` says what was wrong, what was received and what is accepted.
 * `structured`: JSON text of an MCP server that is recorded, and that models do not see.
 */
export interface ToolOutput extends Pick<ToolResult, "text" | "error" | "attachments"> {
  structured?: string;
}

/** The recorded results of the run's tool calls, without those of the calls in progress. */
export interface RecordedResults {
  /** The current turn. */
  turn: number;
  /** The results of a turn, of a step or of one call, in order. */
  at(place: ResultPlace): AsyncIterable<RecordedResult>;
}

/** `input`: that of the call. */
export interface RecordedResult extends Required<ResultPlace> {
  input: unknown;
  result: ToolResult;
}

export interface ToolContext {
  files: Files;
  /** The call, whose input has other numbers than its text (`ToolCall.json`). Absent: nobody asked for it. */
  call?: ToolCall;
  /** Absent: nothing is recorded. */
  results?: RecordedResults;
  /** Characters of an output that the model gets in full. Absent: any number. */
  outputCharacters?: number;
  /** Aborts when the output is no longer needed. */
  signal: AbortSignal;
  /** Whose call it is. The places of tools are shared among owners. Absent: nobody's. */
  owner?: ProgramOwner;
  /** Shows a part of the output to people who watch the run, before the result is recorded. Absent: nobody can. */
  onOutput?: (text: string) => void;
}

/**
 * A function that the model can call. Contract of `run`:
 * - It validates its input.
 * - It resolves with an `error` output for everything that the model can correct.
 * - It rejects for everything else, such as an outage of a store. The turn's attempt ends, and the call is retried.
 */
export interface Tool {
  definition: ToolDefinition;
  /**
   * A repeated call could do harm: it changes something outside of the workspace. An interrupted call is repeated only
   * when the tool is also `idempotent`. Absent: the tool changes at most files, and a repeated call starts from the same.
   */
  hasEffects?: true;
  /** Why the tool cannot be used here. It is not offered to the model, and calls return this as an error. */
  unavailable?: string;
  /** What each call waits for before it runs. A client tool and a question do not run: the answer is their result. */
  asks?: AskKind;
  /**
   * The error of an input that `run` does not accept. Nobody is asked about such a call. Absent: only `run` checks. `json`: as
   * that of `ToolCall`.
   */
  check?: (input: unknown, json?: string) => ToolOutput | undefined;
  /** Offered only after results of tools in the conversation were truncated or summarized. Absent: always. */
  when?: "results_left_out";
  /** What its programs run in instead of what the agent's definition names, and why. The model reads it before its first step. */
  replaced?: string;
  /** Calling it twice with the same input has the effect of calling it once. */
  idempotent?: boolean;
  /** Of a tool of an MCP server: the server's name, and its own name for the tool. */
  origin?: McpOrigin;
  /** What runs its programs, when that differs between installations of the service. The definition describes it. */
  system?: ProgramSystem;
  /** It runs programs of the model beside this process: one that ran when this process was killed is not run again on its own. */
  runsPrograms?: true;
  run(input: unknown, context: ToolContext): Promise<ToolOutput>;
}

/**
 * `tool`: the server's name for the tool. Absent: the tool is the placeholder of a server that could not be listed. `instructions`: of
 * the first tool of a server, what the system prompt has of the server's instructions. Absent: nothing.
 */
export interface McpOrigin {
  server: string;
  tool?: string;
  instructions?: string;
}

/**
 * A tool as it was offered to the model. With `origin`, `hasEffects` and `idempotent`, a tool of an MCP server can be called
 * although the server's tools are not listed again. With `system`, no program runs in another one than described.
 */
export interface OfferedTool
  extends ToolDefinition, Pick<Tool, "origin" | "hasEffects" | "idempotent" | "system" | "when"> {}

/** The tools that are offered, with what their calls need. */
export function offeredTools(tools: Tool[]): OfferedTool[] {
  return tools.filter(({ unavailable }) => unavailable === undefined).map(offeredTool);
}

function offeredTool({ definition, origin, hasEffects, idempotent, system, when }: Tool): OfferedTool {
  if (when) return { ...definition, when };
  if (!origin) return system ? { ...definition, system } : definition;
  return { ...definition, origin, ...(hasEffects && { hasEffects }), ...(idempotent && { idempotent }) };
}

/** The tool as it is sent to the model. */
export function definitionOf({ name, description, input }: ToolDefinition): ToolDefinition {
  return { name, description, input };
}

/** The definitions to send to the model: those of the tools that are available. */
export function offeredDefinitions(tools: Tool[], { resultsLeftOut = false } = {}): ToolDefinition[] {
  return tools.flatMap(({ definition, unavailable, when }) =>
    unavailable === undefined && (when === undefined || resultsLeftOut) ? definition : [],
  );
}

/** Makes a tool that checks its input with a validator generated from its definition. `validator`: its name. */
export function builtInTool<Input extends object>(
  definition: ToolDefinition,
  run: (input: Input, context: ToolContext) => Promise<ToolOutput>,
  validator: string = definition.name,
): Tool {
  const validate = (toolInputs as Record<string, Validator>)[validator];
  if (!validate) throw new Error(`No validator ${validator}: run node scripts/install.mjs`);
  const check = (input: unknown, json?: string): ToolOutput | undefined => {
    if (!validate(input)) return inputError(definition, describeErrors(validate.errors ?? []), { input, json });
    const number = json === undefined ? undefined : inexactNumber(json);
    if (number === undefined) return undefined;
    return errorOutput(
      `${definition.name}: the number ${number.slice(0, 50)} has more digits than the tool keeps. Send it as a string, or in a file.`,
    );
  };
  return {
    definition,
    check,
    run: async (input, context) => check(input, context.call?.json) ?? run(input as Input, context),
  };
}

export function errorOutput(text: string): ToolOutput {
  return { text, error: true };
}

/** The error output for an input that does not match the tool's schema. */
export function inputError(
  { name, input: schema }: ToolDefinition,
  problem: string,
  { input, json = JSON.stringify(input) ?? "nothing" }: { input: unknown; json: string | undefined },
): ToolOutput {
  const received = json.slice(0, 200);
  return errorOutput(`${name}: ${problem}. Received: ${received}. Accepted: ${JSON.stringify(schema)}.`);
}

interface Validator {
  (input: unknown): boolean;
  errors?: ValidationError[] | null;
}

interface ValidationError {
  instancePath: string;
  params: Record<string, unknown>;
  message?: string;
}

function describeErrors(errors: ValidationError[]): string {
  const problems = errors.map(({ instancePath, params, message }) => {
    const subject = instancePath === "" ? "the input" : JSON.stringify(instancePath.slice(1));
    const extra = params["additionalProperty"];
    return `${subject} ${message}${typeof extra === "string" ? `: ${JSON.stringify(extra)}` : ""}`;
  });
  return problems.join("; ");
}
