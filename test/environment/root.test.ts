import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publicFolder } from "../support/ordinary-user.ts";
import { buildSeconds, environment, needMmdebstrap, works } from "./install.ts";
import { describeEverydayScripts } from "./programs.scenario.ts";

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)(`mmdebstrap as root${isRoot ? "" : " (skipped: this is another user)"}`, () => {
  const folder = publicFolder();
  const environments = join(folder.path, "environments");
  const root = { ids: {}, variables: { HOME: "/root", AGENT_RUN_ENVIRONMENTS: environments } };
  beforeAll(async () => {
    needMmdebstrap();
    await environment(root, "install", "--with", "mmdebstrap");
  }, buildSeconds * 1000);
  afterAll(() => folder[Symbol.dispose]());

  it("installs an environment that works and is that of this release", async () => {
    expect(JSON.parse(await environment(root, "install", "--check", "--with", "mmdebstrap", "--json"))).toMatchObject(
      works,
    );
  });

  describeEverydayScripts(() => environments);
});
