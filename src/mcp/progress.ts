import type { ServerContext } from "@modelcontextprotocol/server";
import type { Run } from "../runs/run-types.ts";
import type { McpCall } from "./call.ts";
import { activityLine } from "./run-report.ts";

/**
 * Returns a function that tells the client of a wait what a run does, whenever that has changed. Undefined if the client asked
 * for no progress, or the host sends responses as a whole.
 */
export function progressReporter(
  { describer, streams }: McpCall,
  { mcpReq }: ServerContext,
): ((run: Run) => Promise<void>) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined || !streams) return undefined;
  let [progress, told]: [number, string | undefined] = [0, undefined];
  return async (run) => {
    const message = activityLine(await describer.describe(run));
    if (message === told) return;
    told = message;
    progress += 1; // the number of messages: it has to grow, and nobody knows how many steps there will be
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } });
  };
}
