/** A language that is coloured. */
export type CodeLanguage = "bash" | "js" | "json" | "py";

const byTool: Record<string, { argument: string; language: CodeLanguage }> = {
  run_shell: { argument: "script", language: "bash" },
  run_javascript: { argument: "code", language: "js" },
  run_python: { argument: "code", language: "py" },
};

const byExtension: Record<string, CodeLanguage> = {
  sh: "bash",
  bash: "bash",
  js: "js",
  mjs: "js",
  cjs: "js",
  jsx: "js",
  ts: "js",
  mts: "js",
  tsx: "js",
  json: "json",
  jsonl: "json",
  py: "py",
};

/** The language of an argument of a tool call. `file`: the file that the call names. Undefined: it is not code. */
export function languageOfArgument(tool: string, argument: string, file?: string): CodeLanguage | undefined {
  const program = byTool[tool];
  if (program?.argument === argument) return program.language;
  return argument === "content" && file !== undefined ? languageOfFile(file) : undefined;
}

/** The language of a file, by its name. Undefined: it is not coloured. */
export function languageOfFile(name: string): CodeLanguage | undefined {
  return byExtension[/\.(\w{1,5})$/.exec(name)?.[1]?.toLowerCase() ?? ""];
}

/** The language of a text that says nothing about itself. Undefined: it does not look like JSON. */
export function languageOfText(text: string): CodeLanguage | undefined {
  return /^\s*(?:\{\s*["}]|\[\s*[[{"\]])/.test(text) ? "json" : undefined;
}
