import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { ModelConfiguration } from "../../../src/agent/model.ts";

const server: ModelConfiguration = { enabled: true, provider: "openai-compatible", baseUrl: "http://h/v1", model: "m" };

it("loads the AI SDK only for models that use it", async () => {
  const index = new URL("../../../src/agent/models/open-model.ts", import.meta.url).href;
  // Module hooks see every module of the child process.
  const code = `
    import { registerHooks } from "node:module";
    let loaded = 0;
    registerHooks({ load(url, context, next) { if (url.includes("/node_modules/@ai-sdk/")) loaded++; return next(url, context); } });
    const { openModel } = await import(${JSON.stringify(index)});
    const demo = { enabled: true, provider: "demo" };
    await openModel(demo, undefined, async () => undefined);
    const before = loaded;
    await openModel(${JSON.stringify(server)}, undefined, async () => undefined);
    console.log(before, loaded > 0);
  `;
  const { stdout } = await promisify(execFile)("node", ["--input-type=module", "--eval", code]);
  expect(stdout.trim()).toBe("0 true");
});
