import * as toolInputs from "./generated/tool-inputs.ts";
import type { ToolDefinition, ToolResult } from "../model.ts";

/** The files that a turn works on. Names are flat. */
export interface Files {
  /** Sorted by name, sizes in bytes. */
  list(): Promise<{ name: string; size: number }[]>;
  read(name: string): Promise<Uint8Array | undefined>;
  /** Replaces a file of the same name. */
  write(name: string, content: Uint8Array): Promise<void>;
}

/** Text for the model. `error`: the text says what was wrong, what was received and what is accepted. */
export type ToolOutput = Pick<ToolResult, "text" | "error" | "attachments">;

export interface ToolContext {
  files: Files;
  /** Aborts when the output is no longer waited for. */
  signal: AbortSignal;
}

/**
 * A tool checks its input itself and answers what the model can fix with an error output. It rejects only for what
 * the model can't, such as a store's outage: that ends the turn's attempt, and the same call is made again later.
 */
export interface Tool {
  definition: ToolDefinition;
  /**
   * A call whose result got lost is not made again blindly. `outside`: it changes what is not in the workspace.
   * `cumulative`: it changes the workspace, and doing so twice is not the same as once.
   */
  effects?: "outside" | "cumulative";
  /** Why it can't work here, as a sentence for the model. It is not offered then; who calls it all the same is told. */
  unavailable?: string;
  /** Calling it twice with the same input has the effect of calling it once. */
  idempotent?: boolean;
  run(input: unknown, context: ToolContext): Promise<ToolOutput>;
}

/** The tools that the model may use, as it sees them. */
export function offeredDefinitions(tools: Tool[]): ToolDefinition[] {
  return tools.flatMap(({ definition, unavailable }) => (unavailable === undefined ? definition : []));
}

/** A tool whose input is checked with its validator compiled ahead of time. */
export function builtInTool<Input extends object>(
  definition: ToolDefinition,
  run: (input: Input, context: ToolContext) => Promise<ToolOutput>,
): Tool {
  const accepts = (toolInputs as Record<string, Validator>)[definition.name];
  if (!accepts) throw new Error(`No validator for ${definition.name}: run npm run generate`);
  return {
    definition,
    async run(input, context) {
      if (accepts(input)) return run(input as Input, context);
      return errorOutput(inputProblem(definition, accepts.errors ?? [], input));
    },
  };
}

export function errorOutput(text: string): ToolOutput {
  return { text, error: true };
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

function inputProblem({ name, input: schema }: ToolDefinition, errors: ValidationError[], input: unknown): string {
  const wrong = errors.map(({ instancePath, params, message }) => {
    const subject = instancePath === "" ? "the input" : JSON.stringify(instancePath.slice(1));
    const extra = params["additionalProperty"];
    return `${subject} ${message}${typeof extra === "string" ? `: ${JSON.stringify(extra)}` : ""}`;
  });
  const received = (JSON.stringify(input) ?? "nothing").slice(0, 200);
  return `${name}: ${wrong.join("; ")}. Received: ${received}. Accepted: ${JSON.stringify(schema)}.`;
}
