import { appendFile, mkdir } from "node:fs/promises";
import { AgentRuns, type Event, type Run, WaitTimeout } from "../../clients/typescript/src/index.ts";
import { type Environment, readInputs } from "./inputs.ts";
import { tryDraft } from "./try-draft.ts";
import { errorLine, logLines, outputEntry } from "./workflow-commands.ts";

/**
 * The program of the GitHub Action (`action.yml`): starts a run over HTTP and waits for it, or tries a draft. Resolves with the exit
 * code: 1 unless the run is `finished`. Never prints the API key.
 */
export async function main(environment: Environment, print: (line: string) => void): Promise<number> {
  if (environment["TRY_FILE"]?.trim()) return tryDraft(environment, print);
  const setOutput = (name: string, value: string): Promise<void> =>
    appendFile(environment["GITHUB_OUTPUT"] ?? "", outputEntry(name, value));
  try {
    const { baseUrl, apiKey, input, name, files, labels, saveFilesTo, timeout } = await readInputs(environment);
    const { runs } = new AgentRuns({ baseUrl, apiKey });
    const { id } = await runs.create({ name, input, files, labels });
    print(`Run ${id} has started.`);
    await setOutput("run-id", id);
    // Calls that wait for answers are left to others: `wait` would return before they have them.
    const run = await runs.serveTools(id, {}, { timeout, onEvent: (event) => print(progressOf(event)) });
    await setOutput("status", run.status);
    await setOutput("output", run.output ?? "");
    if (run.output !== null) print(logLines(run.output));
    if (saveFilesTo !== undefined) for (const path of await saveFiles(run, saveFilesTo)) print(`Saved ${path}`);
    if (run.status === "finished") return 0;
    print(errorLine(`The run ${id} is ${run.status}. ${run.failure?.title ?? ""} ${run.failure?.remedy ?? ""}`.trim()));
  } catch (error) {
    const advice = error instanceof WaitTimeout ? ". The run continues; raise 'timeout-minutes' to wait for it" : "";
    print(errorLine(`${(error as Error).message}${advice}`));
  }
  return 1;
}

/** Saves the files that the agent wrote or changed. Resolves with their paths. */
async function saveFiles(run: Run, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const written = (await run.files()).filter(({ changed_at_step }) => changed_at_step !== null);
  const saved: string[] = [];
  // One after the other: a run can have 2,000 files, and each download is in memory until it is saved.
  for (const { name } of written) saved.push(await run.download(name, { to: folder }));
  return saved;
}

/** Types of events, and names of tools. The rest is an agent's text, which could be a command to GitHub. */
function progressOf(event: Event): string {
  const tools = event.type === "model_call" ? event.tool_calls.map(({ name }) => name.replaceAll(/[^\w.-]/g, "_")) : [];
  return `  turn ${event.turn}: ${[event.type, ...new Set(tools)].join(" ")}`;
}
