import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { ModelConfiguration } from "../../../lambdas/agent/model.ts";
import { modelProblem } from "../../../lambdas/agent/providers/configuration.ts";
import { openModel } from "../../../lambdas/agent/providers/index.ts";

const server: ModelConfiguration = { enabled: true, provider: "openai-compatible", baseUrl: "http://h/v1", model: "m" };
const noSecrets = () => undefined;

describe("modelProblem", () => {
  it("is a sentence for no configuration", () => {
    expect(modelProblem(undefined, noSecrets)).toMatch(/no inference model configured/);
  });

  it.each<[string, ModelConfiguration, RegExp]>([
    ["a disabled one", { enabled: false, provider: "demo" }, /disabled/],
    ["a missing secret", { ...server, secret: "env:KEY" }, /secret .* does not exist/],
    ["a base URL that is none", { ...server, baseUrl: "localhost:1234" }, /not an http or https address/],
    [
      "an unknown provider",
      { enabled: true, provider: "oracle" } as unknown as ModelConfiguration,
      /'oracle' is unknown.*demo/,
    ],
    ["a name every object has", { enabled: true, provider: "toString" } as unknown as ModelConfiguration, /unknown/],
  ])("is a sentence for %s", async (_, configuration, problem) => {
    expect(modelProblem(configuration, noSecrets)).toMatch(problem);
    await expect(openModel(configuration, undefined, noSecrets)).rejects.toThrow(problem);
  });

  it("is undefined for what can be used", () => {
    expect(modelProblem({ enabled: true, provider: "demo" }, noSecrets)).toBeUndefined();
    expect(modelProblem(server, noSecrets)).toBeUndefined();
    expect(modelProblem({ ...server, secret: "env:KEY" }, () => "sk-1")).toBeUndefined();
  });
});

it("loads the model library only when a model that needs it is opened", async () => {
  const index = new URL("../../../lambdas/agent/providers/index.ts", import.meta.url).href;
  // Module hooks see every module of the child process.
  const code = `
    import { registerHooks } from "node:module";
    let loaded = 0;
    registerHooks({ load(url, context, next) { if (url.includes("/node_modules/ai/")) loaded++; return next(url, context); } });
    const { openModel } = await import(${JSON.stringify(index)});
    const demo = { enabled: true, provider: "demo" };
    await openModel(demo, undefined, () => undefined);
    const before = loaded;
    await openModel(${JSON.stringify(server)}, undefined, () => undefined);
    console.log(before, loaded > 0);
  `;
  const { stdout } = await promisify(execFile)("node", ["--input-type=module", "--eval", code]);
  expect(stdout.trim()).toBe("0 true");
});
