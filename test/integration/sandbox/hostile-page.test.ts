import { afterAll, expect, it } from "vitest";
import { httpServer } from "../../support/http-server.ts";
import { localSandbox } from "../../../src/platform/local/sandbox.ts";
import { builtInTools } from "../../../src/agent/tools/index.ts";
import { files } from "../../unit/agent/scripted.ts";

const sandbox = localSandbox();
afterAll(() => sandbox.close());

it("a page that takes hours to convert is given up and does not block the process", async () => {
  const pages: Record<string, string> = { "/good": "<h1>Title</h1>", "/deep": "<div>".repeat(20_000) };
  await using server = await httpServer((request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(pages[request.url ?? ""]);
  });
  const agent = { tools: ["web_fetch"], webFetch: { privateAddresses: true } };
  const [tool] = builtInTools(agent, { sandbox, addresses: "local" });
  const get = (path: string) =>
    tool?.run({ url: server.url + path }, { files: files(), signal: new AbortController().signal });

  let ticks = 0;
  const clock = setInterval(() => ticks++, 20);
  expect(await get("/deep")).toMatchObject({ error: true });
  clearInterval(clock);
  expect(ticks).toBeGreaterThan(20); // one, if the process converted the page itself
  expect(await get("/good")).toMatchObject({ text: expect.stringContaining("# Title") });
});
