// Runs an agent with a file and saves a file that it wrote: node run-agent.mjs sales.csv total.csv
import { AgentRuns } from "agent-run-client";

const [upload, result] = process.argv.slice(2);
const client = new AgentRuns(); // AGENT_RUN_URL and AGENT_RUN_KEY
const run = await client.runs.createAndWait(
  { name: "Example", input: `Add up the amounts, and write ${result}.`, files: [upload] },
  { onEvent: (event) => console.log(event.type) },
);
console.log(run.output);
await run.download(result, { to: "." });
