/** What is needed to start the same run again from a program. */
export interface CopiedRun {
  name: string;
  /** `template_id` of the API. */
  agentId: string;
  input: string | undefined;
  /** Names of the uploaded files. The reader has them in the current directory. */
  files: string[];
  /** Base URL of the API. Undefined: not known to the service. */
  serviceUrl: string | undefined;
  /** How a command that manages the service begins. */
  adminCommand: string;
}

export type Language = "curl" | "typescript" | "python" | "cli";

/** Languages in the order of the menu, with their names. */
export const languages: [Language, string][] = [
  ["curl", "curl"],
  ["typescript", "TypeScript"],
  ["python", "Python"],
  ["cli", "Command line"],
];

/** A program that starts the run again. It reads the key from the environment variable API_KEY. */
export function programFor(language: Language, run: CopiedRun): string {
  return programs[language]({ ...run, files: run.files.map(withoutControls) });
}

const programs: Record<Language, (run: CopiedRun) => string> = { curl, typescript, python, cli };

const placeholder = "https://SERVICE.example.com";

function baseUrl({ serviceUrl }: CopiedRun): string {
  return (serviceUrl ?? placeholder).replace(/\/+$/, "");
}

/** Fields of the request that need no file. */
function fields({ name, agentId, input }: CopiedRun): Record<string, string> {
  return { name, template_id: agentId, ...(input !== undefined && { input_text: input }) };
}

function curl(run: CopiedRun): string {
  const files = run.files.map((name) => {
    const content = `$(base64 < ${quoted(asPath(name))} | tr -d '\\n')`;
    return `    { "filename": ${inHereDocument(literal(name))}, "content_base64": "${content}" }`;
  });
  const lines = Object.entries(fields(run)).map(([name, value]) => `  "${name}": ${inHereDocument(literal(value))}`);
  if (files.length > 0) lines.push(`  "files": [\n${files.join(",\n")}\n  ]`);
  return `# API_KEY: a key of this agent. The answer names the run: GET ${baseUrl(run)}/v1/agents/RUN_ID
curl -sS ${quoted(`${baseUrl(run)}/v1/agents`)} \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  --data-binary @- <<JSON
{
${lines.join(",\n")}
}
JSON
`;
}

function typescript(run: CopiedRun): string {
  const lines = Object.entries(fields(run)).map(([name, value]) => `  ${name}: ${literal(value)},`);
  if (run.files.length > 0) {
    const names = run.files.map(literal).join(", ");
    lines.push(`  files: await Promise.all([${names}].map(async (filename) => ({
    filename,
    content_base64: await readFile(filename, "base64"),
  }))),`);
  }
  const imports = run.files.length > 0 ? `import { readFile } from "node:fs/promises";\n` : "";
  return `${imports}import { setTimeout as sleep } from "node:timers/promises";

const runs = ${literal(`${baseUrl(run)}/v1/agents`)};
const authorization = \`Bearer \${process.env.API_KEY}\`;

async function call(url: string, init: RequestInit = {}): Promise<any> {
  const headers = { authorization, "content-type": "application/json" };
  const answer = await fetch(url, { ...init, headers });
  if (!answer.ok) throw new Error(\`\${answer.status}: \${await answer.text()}\`);
  return answer.json();
}

const body = {
${lines.join("\n")}
};
const { agent_id } = await call(runs, { method: "POST", body: JSON.stringify(body) });
let run = await call(\`\${runs}/\${agent_id}\`);
while (run.loop_status === "running") {
  await sleep(3_000);
  run = await call(\`\${runs}/\${agent_id}\`);
}
console.error(\`run \${agent_id} is \${run.loop_status}\`);
console.log(run.transcript.at(-1)?.text);
`;
}

function python(run: CopiedRun): string {
  const lines = Object.entries(fields(run)).map(([name, value]) => `    "${name}": ${literal(value)},`);
  if (run.files.length > 0) {
    const names = run.files.map(literal).join(", ");
    lines.push(`    "files": [
        {"filename": name, "content_base64": base64.b64encode(Path(name).read_bytes()).decode()}
        for name in [${names}]
    ],`);
  }
  const imports =
    run.files.length > 0
      ? ["base64", "json", "os", "time", "urllib.request"]
      : ["json", "os", "time", "urllib.request"];
  return `${imports.map((name) => `import ${name}`).join("\n")}
${run.files.length > 0 ? "from pathlib import Path\n" : ""}
RUNS = ${literal(`${baseUrl(run)}/v1/agents`)}
HEADERS = {"Authorization": f"Bearer {os.environ['API_KEY']}", "Content-Type": "application/json"}


def call(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, HEADERS)) as answer:
        return json.load(answer)


body = {
${lines.join("\n")}
}
run_id = call(RUNS, body)["agent_id"]
run = call(f"{RUNS}/{run_id}")
while run["loop_status"] == "running":
    time.sleep(3)
    run = call(f"{RUNS}/{run_id}")
print(f"run {run_id} is {run['loop_status']}")
if run["transcript"]:
    print(run["transcript"][-1]["text"])
`;
}

function cli(run: CopiedRun): string {
  const parts = [
    `${run.adminCommand} run start --agent ${quoted(run.agentId)} --name ${quoted(run.name)}`,
    ...(run.input === undefined ? [] : [`--text ${quoted(run.input)}`]),
    ...run.files.map((name) => `--file ${quoted(asPath(name))}`),
    "--wait",
  ];
  return `${parts.join(" \\\n  ")}\n`;
}

/** A string literal of JSON, which JavaScript and Python read, too. Hidden characters are escaped. */
function literal(text: string): string {
  return escapeHidden(JSON.stringify(text));
}

function escapeHidden(text: string): string {
  return text.replace(/[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Text for a here-document in which the shell expands variables. */
function inHereDocument(text: string): string {
  return text.replace(/[\\$`]/g, String.raw`\$&`);
}

/**
 * The name as the service stores it. A local file may have line breaks in its name, which could end a here-document of the
 * shell.
 */
function withoutControls(name: string): string {
  return name.replace(/\p{Cc}/gu, "");
}

/** A file name that no program takes for an option. */
function asPath(name: string): string {
  return name.startsWith("-") ? `./${name}` : name;
}
