// Runs an agent and prints its output:
//   BASE_URL=… API_KEY=… TEMPLATE_ID=… node examples/client.mjs "What is in the files?" report.pdf sales.csv
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const { BASE_URL, API_KEY, TEMPLATE_ID } = process.env;
const [input_text, ...paths] = process.argv.slice(2);
if (!BASE_URL || !API_KEY || !TEMPLATE_ID || !input_text) {
  console.error(
    'Usage: BASE_URL=… API_KEY=… TEMPLATE_ID=… node examples/client.mjs "input" [file …]\n' +
      "npm start prints the three values. On AWS, BASE_URL is the stack output BaseUrl; key and agent come from npm run admin.",
  );
  process.exit(2);
}
const runs = `${BASE_URL.replace(/\/+$/, "")}/v1/agents`;
const authorization = `Bearer ${API_KEY}`;

/** Creates a run and returns its id. Not retried: a second request would create a second run. */
async function createRun() {
  const files = await Promise.all(
    paths.map(async (path) => ({
      filename: basename(path),
      content_base64: (await readFile(path)).toString("base64"),
    })),
  );
  const answer = await fetch(runs, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ name: "Example", template_id: TEMPLATE_ID, input_text, files }),
  });
  if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()).agent_id;
}

/** Polls every 3 seconds until the run is no longer running. After a 502 or 503 it waits 1, 2, 4 … 30 seconds. */
async function finished(runId) {
  for (let failures = 0; ;) {
    const answer = await fetch(`${runs}/${runId}`, { headers: { authorization } });
    if (answer.status === 200) {
      const run = await answer.json();
      if (run.loop_status !== "running") return run;
      failures = 0;
      await sleep(3_000);
    } else if (answer.status === 502 || answer.status === 503) {
      await sleep(Math.min(30_000, 1_000 * 2 ** failures++));
    } else throw new Error(`get answered ${answer.status}: ${await answer.text()}`);
  }
}

const runId = await createRun();
console.error(`run ${runId} …`);
const { loop_status, transcript } = await finished(runId);
console.error(`run ${runId} is ${loop_status}`);
const last = transcript.at(-1);
if (last?.role === "output_from_agent") console.log(last.text);
process.exitCode = loop_status === "finished" ? 0 : 1;
