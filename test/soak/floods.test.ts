import { fork } from "node:child_process";
import { chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEnvironment, descriptionFile, environmentFiles } from "../../src/sandbox/linux/environments.ts";
import { ownRoot } from "../integration/sandbox/linux/container-engine.ts";
import { openEngine, reasonToSkip } from "../integration/sandbox/linux/engine.ts";
import { runScript } from "../integration/script.ts";
import { createRun, finished, modelAt, type Service, startService } from "../integration/service.ts";
import { chatServer, scripted } from "../providers/chat-completions-server.ts";
import { testFacts } from "../support/environment-container.ts";
import { ordinaryUser, publicFolder } from "../support/ordinary-user.ts";
import { floodImports, kernelFloods } from "./kernel-floods.ts";
import { describeFloods } from "./linux-floods.ts";

// All floods are in one file, because they use up what the kernel counts for a user, and two at a time could be the same user.

const engine = await openEngine();
if ("close" in engine) engine.close();
const noBubblewrap = "unavailable" in engine ? reasonToSkip(engine) : "";
const isRoot = process.getuid?.() === 0;
const noPodman = existsSync("/usr/bin/podman") ? "" : " (skipped: podman is not installed)";
const notRoot = isRoot ? "" : " (skipped: only root makes users)";

const setups = [
  { title: "bubblewrap", sandbox: "bubblewrap", skipped: noBubblewrap },
  { title: "bubblewrap as an ordinary user", sandbox: "bubblewrap", range: true, skipped: noBubblewrap || notRoot },
  {
    title: "bubblewrap as an ordinary user without a range in /etc/subuid",
    sandbox: "bubblewrap",
    range: false,
    skipped: noBubblewrap || notRoot,
  },
  { title: "podman", sandbox: "podman", skipped: noPodman },
];

/** The model runs the flood that the input names. It holds if the program prints what it does when it has used all up. */
const floods = scripted(({ input, results }) => {
  const flood = kernelFloods.find(({ title }) => title === input);
  if (!flood) return { text: "Nothing to do." };
  const [result] = results;
  if (result !== undefined) return { text: result };
  return { calls: [["run_python", { code: floodImports + flood.text, seconds: 12 }]] };
});

/** Installs an environment with this machine's programs: podman needs one. Returns the folder of the environments. */
function environmentOfMachine(folder: string): string {
  const environment = join(folder, "linux");
  mkdirSync(environment);
  const root = ownRoot(join(environment, environmentFiles.root));
  writeFileSync(descriptionFile(folder, "linux"), describeEnvironment({ facts: testFacts, root }));
  return folder;
}

/** Runs the command line in a process of its own: what it imports is no input of the gate of these tests. */
async function admin({ dataDir }: Service, ...args: string[]): Promise<Record<"id" | "key", string>> {
  const { stdout } = await runScript("bin/admin.ts", [...args, "--data-dir", dataDir, "--json"]);
  return JSON.parse(stdout) as never;
}

/** Creates a run of another organization. Resolves with its address and a key. */
async function neighbourOf(service: Service, folder: string): Promise<{ url: string; key: string }> {
  const file = join(folder, "agent.json");
  writeFileSync(file, JSON.stringify({ name: "Neighbour", instructions: "Answer.", tools: [] }));
  const { id: org } = await admin(service, "org", "create", "--name", "Neighbour");
  await admin(service, "org", "set-model", org, "--provider", "demo");
  const { id: templateId } = await admin(service, "agent", "create", "--file", file, "--org", org);
  const { key } = await admin(service, "key", "create", "--agent", templateId);
  const runId = await createRun({ ...service, apiKey: key, templateId }, { input_text: "Answer." });
  return { url: `${service.baseUrl}/ext/v1/runs/${runId}`, key };
}

interface Attacked {
  title: string;
  service: Service;
  neighbour: { url: string; key: string };
}

async function attacked({ title, sandbox, range }: (typeof setups)[number]): Promise<Attacked> {
  const model = resources.use(await chatServer(...Array<typeof floods>(100).fill(floods)));
  const user = range === undefined ? undefined : resources.use(ordinaryUser({ range }));
  const folder = resources.use(publicFolder());
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir);
  if (user?.ids.uid !== undefined) chownSync(dataDir, user.ids.uid, user.ids.gid ?? 0);
  const variables = {
    TMPDIR: "/tmp",
    ...(sandbox === "podman" && { AGENT_RUN_ENVIRONMENTS: environmentOfMachine(folder.path) }),
  };
  const options = [...modelAt(model.baseUrl), "--sandbox", sandbox];
  const service = resources.use(await startService(dataDir, options, variables, user));
  return { title, service, neighbour: await neighbourOf(service, folder.path) };
}

/** The neighbour's requests while `work` runs, each on a new connection. `p99`: milliseconds. */
async function pollDuring({ neighbour }: Attacked, work: Promise<unknown>) {
  const poller = fork(new URL("poller.mjs", import.meta.url), [neighbour.url, neighbour.key]);
  const polls = new Promise((resolve) => poller.once("message", resolve));
  try {
    await work;
  } finally {
    poller.send("end");
  }
  return (await polls) as { answered: number; failures: string[]; p99: number };
}

const resources = new AsyncDisposableStack();
let services: Attacked[] = [];
beforeAll(async () => {
  services = await Promise.all(setups.filter((setup) => !setup.skipped).map(attacked));
});
afterAll(() => resources.disposeAsync());

const skipped = setups.flatMap(({ title, skipped: reason }) => (reason ? [`; ${title}${reason}`] : [])).join("");

// The kernel counts for each user, or for all. The neighbour's requests go to the service that runs the programs.
it.skipIf(setups.every((setup) => setup.skipped)).each(kernelFloods)(
  `a program that uses up $title stops no request of another organization${skipped}`,
  { timeout: 120_000 },
  async ({ title: flood, holds }) => {
    const flooded = services.map(async (each) => {
      const run = createRun(each.service, { input_text: flood }).then((id) => finished(each.service, id));
      return { title: each.title, polls: await pollDuring(each, run), run: await run };
    });
    for (const { title, polls, run } of await Promise.all(flooded)) {
      const { answered, failures, p99 } = polls;
      const result = run.transcript.at(-1)?.text ?? "";
      console.log(`${title}, ${flood}: ${answered} answered, p99 ${p99} ms; ${result.slice(0, 200)}`);
      expect({ title, status: run.loop_status, failures }).toEqual({ title, status: "finished", failures: [] });
      expect(answered).toBeGreaterThan(0);
      // What watches the programs of an ordinary user may stop the program first.
      if (!result.includes("stopped")) expect(result).toMatch(holds);
    }
  },
);

await describeFloods({ withoutGroups: false });
// What is left where the machine gives no control groups: limits of processes, files and tmpfs, and the watcher.
await describeFloods({ withoutGroups: true });
