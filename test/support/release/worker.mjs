// The functions of a release in one process: node worker.mjs FOLDER. Messages name a file of `lambdas/` and its
// event, or set the clock.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const [now, elapsed] = [Date.now.bind(Date), performance.now.bind(performance)];
let ahead = 0;
Date.now = () => now() + ahead;
performance.now = () => elapsed() + ahead; // as if the time had passed

process.on("message", async ({ id, entry, event, remaining, clock }) => {
  if (clock !== undefined) ahead = clock;
  if (id === undefined) return;
  try {
    const { handler } = await import(pathToFileURL(join(folder, "lambdas", `${entry}.ts`)).href);
    process.send({ id, result: await handler(event, { getRemainingTimeInMillis: () => remaining }) });
  } catch (error) {
    process.send({ id, error: `${error.name}: ${error.message}` });
  }
});
