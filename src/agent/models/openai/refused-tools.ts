import type { ToolDefinition } from "../../model.ts";

const maxInspected = 4_000;

/**
 * The tools of a request whose definitions the error of a provider is about, by name.
 * - OpenAI names the function: "Invalid schema for function 'crm__find': …".
 * - Anthropic, Gemini and Bedrock count: "tools.3.custom.input_schema: …", "function_declarations[3].parameters…".
 * - Others name a place within the schema: "regex lookaround is not supported. Found at $.properties.email.pattern."
 */
export function refusedTools(error: string, tools: ToolDefinition[]): string[] {
  const text = error.slice(0, maxInspected);
  const words = new Set(text.match(/[\w-]+/g));
  const named = tools.filter(({ name }) => words.has(name));
  if (named.length > 0) return namesOf(named);
  // Gemini's list of functions is that of the only tool.
  const [, index] = /function_?declarations\[(\d+)/i.exec(text) ?? /\btools[.[](\d+)/.exec(text) ?? [];
  if (index !== undefined) return namesOf(tools.slice(Number(index), Number(index) + 1));
  const path = /\$((?:\.[\w$-]+|\[\d+\])+)/.exec(text)?.[1];
  return path === undefined ? [] : namesOf(tools.filter(({ input }) => hasPath(input, path)));
}

const namesOf = (tools: ToolDefinition[]): string[] => tools.map(({ name }) => name);

function hasPath(schema: unknown, path: string): boolean {
  const found = (path.match(/[\w$-]+/g) ?? []).reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    schema,
  );
  return found !== undefined;
}
