import type { Language } from "./languages.ts";

/** What is needed to start the same run again from a program. */
export interface ShownRun {
  name: string;
  /** `template_id` of v1. */
  agentId: string;
  input: string | undefined;
  /** What the run was sent after its first input, in order. */
  nextInputs: string[];
  /** Names of the uploaded files. The reader has them in the current directory. */
  files: string[];
  /** Further fields of the create, which only curl shows. */
  choices?: object;
  /** Base URL of the APIs. Undefined: not known to the page, and read from AGENT_RUN_URL. */
  serviceUrl: string | undefined;
  /** How a command that manages the service begins. */
  adminCommand: string;
}

/** What a program needs to call an agent for the first time. */
export interface FirstCall extends Pick<ShownRun, "agentId" | "serviceUrl"> {
  /** A new key. Undefined: the reader has one in AGENT_RUN_KEY. */
  key: string | undefined;
}

/** A program that starts the run again. It reads the key from the environment variable AGENT_RUN_KEY. */
export function programFor(language: Language, run: ShownRun): string {
  const serviceUrl = run.serviceUrl?.replace(/\/+$/, "");
  return programs[language]({ ...run, serviceUrl, files: run.files.map(withoutControls) });
}

/** A program that starts a first run. In curl, it sets the key, too. */
export function firstProgram(language: Exclude<Language, "cli">, { key, ...call }: FirstCall): string {
  const run = { name: "First run", input: "What can you do?", nextInputs: [], files: [], adminCommand: "" };
  const program = programFor(language, { ...run, ...call });
  return key !== undefined && (language === "curl" || language === "v1")
    ? `export AGENT_RUN_KEY=${quoted(key)}\n${program}`
    : program;
}

/** The variables that the clients read, as a file for `node --env-file`. */
export function environmentFile({ serviceUrl, key = "" }: FirstCall): string {
  return `AGENT_RUN_URL=${serviceUrl?.replace(/\/+$/, "") ?? ""}\nAGENT_RUN_KEY=${key}\n`;
}

const programs: Record<Language, (run: ShownRun) => string> = { curl, typescript, python, v1, cli };

const jsonHeader = "-H 'Content-Type: application/json'";
const keyHeader = '-H "Authorization: Bearer $AGENT_RUN_KEY"';

function typescript({ name, input, nextInputs, files, serviceUrl }: ShownRun): string {
  const options = serviceUrl === undefined ? "" : `{ baseUrl: ${literal(serviceUrl)} }`;
  const fields = { name, ...(input !== undefined && { input }), ...(files.length > 0 && { files }) };
  const lines = Object.entries(fields).map(([field, value]) => `  ${field}: ${literals(value)},\n`);
  const next = nextInputs.map((text) => `  ${literal(text)},\n`);
  return `// The client: docs/clients.md. ${needed(serviceUrl)}
import { AgentRuns } from "agent-run-client";

const client = new AgentRuns(${options});
${next.length > 0 ? "let" : "const"} run = await client.runs.createAndWait({
${lines.join("")}});
${
  next.length === 0
    ? ""
    : `for (const input of [
${next.join("")}]) {
  await client.runs.sendInput(run.id, input);
  run = await client.runs.wait(run.id);
}
`
}console.log(run.status, run.output);
`;
}

function python({ name, input, nextInputs, files, serviceUrl }: ShownRun): string {
  const fields = { name, ...(input !== undefined && { input }), ...(files.length > 0 && { files }) };
  const lines = Object.entries(fields).map(([field, value]) => `    ${field}=${literals(value)},\n`);
  const next = nextInputs.map((text) => `    ${literal(text)},\n`);
  return `# The client: docs/clients.md. ${needed(serviceUrl)}
from agent_runs import AgentRuns

client = AgentRuns(${serviceUrl === undefined ? "" : literal(serviceUrl)})
run = client.runs.create_and_wait(
${lines.join("")})
${
  next.length === 0
    ? ""
    : `for text in [
${next.join("")}]:
    client.runs.send_input(run.id, text)
    run = client.runs.wait(run.id)
`
}print(run.status, run.output)
`;
}

function curl(run: ShownRun): string {
  const runs = `${shellBase(run)}/ext/v1/runs`;
  const body = { name: run.name, ...(run.input !== undefined && { input_text: run.input }), ...run.choices };
  if (run.nextInputs.length === 0) {
    return `# ${needed(run.serviceUrl)} The response has the id of the run.
${post(runs, "", shellJson(body, run.files))}`;
  }
  const next = run.nextInputs.map((text) => post(`${runs}/$id/input`, "", shellJson({ input_text: text }, [])));
  return `# ${needed(run.serviceUrl)} The service queues inputs, at most 20, until the run has finished its turn.
response=$(mktemp)
${post(runs, ' -o "$response"', shellJson(body, run.files))}cat "$response"
id=$(${firstId} "$response" | head -n 1 | cut -d '"' -f 4)
rm "$response"
${next.join("")}`;
}

function v1(run: ShownRun): string {
  const { name, agentId, input } = run;
  const body = { name, template_id: agentId, ...(input !== undefined && { input_text: input }) };
  const only = run.nextInputs.length === 0 ? "" : `\n# v1 has no further inputs: this is ${firstTurnOnly(run)}.`;
  return `# ${needed(run.serviceUrl)} The response has the id of the run.${only}
${post(`${shellBase(run)}/v1/agents`, "", shellJson(body, run.files))}`;
}

function cli(run: ShownRun): string {
  const start = [
    `${run.adminCommand} run start --agent ${quoted(run.agentId)} --name ${quoted(run.name)}`,
    ...(run.input === undefined ? [] : [`--text ${quoted(run.input)}`]),
    ...run.files.map((name) => `--file ${quoted(asPath(name))}`),
  ];
  const lines = (last: string): string => [...start, last].join(" \\\n  ");
  if (run.nextInputs.length === 0) return `${lines("--wait")}\n`;
  return `# The service queues inputs, at most 20, until the run has finished its turn.
id=$(${lines("--json")} | ${firstId} | head -n 1 | cut -d '"' -f 4)
${run.nextInputs.map((text) => `${run.adminCommand} run input "$id" --text ${quoted(text)}\n`).join("")}${run.adminCommand} run show "$id" --events
`;
}

/** Finds members `id` of JSON. In a text, the quotes would follow backslashes. */
const firstId = `grep -o '"id": *"[^"]*"'`;

function firstTurnOnly({ nextInputs }: ShownRun): string {
  return `the first turn of ${nextInputs.length + 1}`;
}

/** Which variables a program reads. */
function needed(serviceUrl: string | undefined): string {
  return serviceUrl === undefined
    ? "AGENT_RUN_URL: address of the service. AGENT_RUN_KEY: a key of this agent."
    : "AGENT_RUN_KEY: a key of this agent.";
}

/** The base URL as a part of a word in double quotes. */
function shellBase({ serviceUrl }: ShownRun): string {
  return serviceUrl === undefined ? "$AGENT_RUN_URL" : inDoubleQuotes(serviceUrl);
}

/** A request with curl. `url`: a part of a word in double quotes. `json`: for a here-document. */
function post(url: string, option: string, json: string): string {
  return `curl -sS "${url}" \\
  ${keyHeader} \\
  ${jsonHeader} \\
  --data-binary @-${option} <<JSON
${json}
JSON
`;
}

/** A body for a here-document. The shell reads the files. */
function shellJson(fields: Record<string, string>, files: string[]): string {
  const lines = Object.entries(fields).map(([name, value]) => `  "${name}": ${inHereDocument(literal(value))}`);
  const entries = files.map((name) => {
    const content = `$(base64 < ${quoted(asPath(name))} | tr -d '\\n')`;
    return `    { "filename": ${inHereDocument(literal(name))}, "content_base64": "${content}" }`;
  });
  if (entries.length > 0) lines.push(`  "files": [\n${entries.join(",\n")}\n  ]`);
  return `{\n${lines.join(",\n")}\n}`;
}

function literals(value: string | string[]): string {
  return typeof value === "string" ? literal(value) : `[${value.map(literal).join(", ")}]`;
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

function inDoubleQuotes(text: string): string {
  return text.replace(/[\\$`"]/g, String.raw`\$&`);
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
