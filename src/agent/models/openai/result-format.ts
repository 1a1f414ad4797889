import type { Failure, ModelRequest } from "../../model.ts";

/** How a model is made to answer with JSON of a schema: by the provider's own format, or by a tool whose input is the schema. */
export type ResultFormat = "native" | "tool";

/** A request in the form in which it is sent. `format`: absent without a schema. */
export type FormedRequest = ModelRequest & { format?: ResultFormat };

/** The tool that a model calls with its result. Its call is not part of the answer: its arguments are the answer's text. */
export const resultTool = "submit_result";

const instruction = `When the work is done, call ${resultTool} once with the result. Do not answer with text.`;

/** The request in a format. With `tool`, it has the tool, and the instructions say when to call it. */
export function formRequest(request: ModelRequest, format: ResultFormat | undefined): FormedRequest {
  const { result, instructions, tools } = request;
  if (!result || format === undefined) return request;
  if (format === "native") return { ...request, format };
  const description = "Submits the result of your work. Call it alone, after all other tools.";
  return {
    ...request,
    format,
    instructions: `${instructions}\n\n${instruction}`.trimStart(),
    tools: [...tools, { name: resultTool, description, input: result }],
  };
}

/**
 * Hosts whose chat completions accept `response_format` with a schema together with tools. Of other servers, some make every
 * answer fit the schema, and the model can call no tool any more (vLLM, Ollama, llama.cpp).
 */
const nativeHosts = /(^|\.)(openai\.com|openai\.azure\.com)$/;

/** The format for a chat completions server, unless its configuration names one. */
export function formatOfHost(baseUrl: string): ResultFormat {
  return nativeHosts.test(URL.parse(baseUrl)?.hostname ?? "") ? "native" : "tool";
}

/** OpenAI, Azure, llama.cpp, Anthropic and Bedrock, about the format or the schema. */
const rejection = /response_format|json_schema|output_(config|format)|structured[ _]output|\bschemas?\b|grammar/i;

/** Whether a request in the provider's own format may succeed with the tool. */
export function isFormatRejection({ category, title }: Failure): boolean {
  return (category === "model_refused" || category === "model_configuration") && rejection.test(title);
}
