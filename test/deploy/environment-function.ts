import { text } from "node:stream/consumers";
import type { FunctionEvent } from "../../src/platform/aws/container/program-messages.ts";
import { containerProblem, environmentContainer } from "../support/environment-container.ts";
import { httpServer } from "../support/http-server.ts";

/** Name of the variable with the address of the function of the environment `linux`. Missing: there is none here. */
export const functionUrl = "ENVIRONMENT_FUNCTION_URL";

/**
 * Runs the function of the environment `linux` on this machine: MiniStack has no Docker for images, and sends events to the
 * address in a variable of the function instead. Without bubblewrap, the test deploys `sandbox=javascript`.
 */
export async function startEnvironmentFunction(): Promise<AsyncDisposable> {
  const problem = containerProblem();
  if (problem !== undefined) {
    console.log(`The Linux environment is not tested: ${problem}.`);
    return { [Symbol.asyncDispose]: async () => {} };
  }
  const container = await environmentContainer();
  const server = await httpServer((request, response) => {
    void text(request).then(async (event) => {
      const result = await container.invoke(JSON.parse(event) as FunctionEvent);
      response.writeHead("answer" in result ? 200 : 500, { "content-type": "application/json" });
      response.end(JSON.stringify("answer" in result ? result.answer : result.error));
    });
  });
  process.env[functionUrl] = server.url;
  return {
    async [Symbol.asyncDispose]() {
      await server.close();
      await container[Symbol.asyncDispose]();
    },
  };
}
