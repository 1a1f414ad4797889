import { expect, test, vi } from "vitest";
import { AgentRuns } from "../../clients/typescript/src/index.ts";
import { agent, run as runOf } from "./case.ts";
import { environment, run } from "../deploy/processes.ts";
import { python, pythonClient } from "./python.ts";
import { json, scriptedServer } from "./scripted-server.ts";

test("the Python client works in a second event loop, and names the proxy of the environment in its errors", async () => {
  await using server = await scriptedServer();
  const { url } = server.script(agent, json(200, runOf("finished")), json(200, runOf("running")));
  const { stdout, stderr } = await run(await python("python"), ["test/clients/connections.py", url], {
    env: environment({ PYTHONPATH: pythonClient, HTTP_PROXY: "", ALL_PROXY: "", NO_PROXY: "127.0.0.1" }),
  });
  const refused = expect.stringMatching(
    /^ConnectionFailed: GET \/ext\/v1\/agent: .+ \(through the proxy 127\.0\.0\.1:9 of the environment variables; NO_PROXY=service\.invalid /,
  );
  const socks = expect.stringMatching(/^InvalidArgument: the environment names a proxy .*ALL_PROXY.*socksio/);
  expect({ stderr, lines: stdout.trimEnd().split("\n") }).toEqual({
    stderr: "",
    lines: ["finished", "running", refused, refused, socks, socks],
  });
  expect(stdout).not.toContain("secret");
});

/** The process of the test uses no proxy. */
const failing = () => Promise.reject(new TypeError("fetch failed"));

test("the TypeScript client names the proxy that Node.js uses in its errors", async () => {
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  vi.stubEnv("http_proxy", "http://user:secret@127.0.0.1:9");
  try {
    const client = new AgentRuns({
      baseUrl: "http://service.invalid",
      apiKey: "ak_test",
      maxRetries: 0,
      fetch: failing,
    });
    await expect(client.agent()).rejects.toMatchObject({
      name: "ConnectionFailed",
      message: expect.stringMatching(
        /^GET \/ext\/v1\/agent: fetch failed \(the environment names the proxy 127\.0\.0\.1:9\)$/,
      ),
    });
  } finally {
    vi.unstubAllEnvs();
  }
});
