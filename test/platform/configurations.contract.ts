import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Configurations } from "../../src/runs/ports.ts";
import { decodeConfiguration, encodeConfiguration } from "../../src/runs/turn-configuration.ts";

const limits = { steps: 20, tokens: 100_000, seconds: 600 };
const agent = { name: "Agent 日本", instructions: "Answer.", tools: ["list_files"], limits };
const definition = {
  name: "list_files",
  description: "Lists.",
  input: { type: "object", properties: { b: {}, a: {} } },
};

/** Contract tests of `Configurations`. `open` opens the store as another process does. */
export function describeConfigurations(open: () => Promise<Configurations>): void {
  describe("configurations", () => {
    let [writer, reader]: Configurations[] = [];
    beforeAll(async () => {
      [writer, reader] = [await open(), await open()];
    });

    test("a configuration reads back as it was stored, and repeated writes change nothing", async () => {
      const small = encodeConfiguration({
        agent,
        provider: { provider: "demo", enabled: true },
        offered: [definition],
      });
      const instructions = `${"long \u{1f680}".repeat(20_000)}\ud800`;
      const large = encodeConfiguration({ agent: { ...agent, instructions }, offered: [] });
      const agentId = randomUUID();
      for (const each of [small, large]) {
        for (let write = 1; write <= 2; write++) await writer?.put(agentId, each);
        await reader?.put(agentId, each);
        for (const store of [writer, reader]) expect(await store?.get(agentId, each.hash)).toBe(each.text);
      }
      expect(decodeConfiguration((await reader?.get(agentId, small.hash)) ?? "").offered).toEqual([definition]);
    });

    test("a configuration is found with its agent and hash only", async () => {
      const stored = encodeConfiguration({ agent, offered: [] });
      const agentId = randomUUID();
      await writer?.put(agentId, stored);
      expect(await reader?.get(randomUUID(), stored.hash)).toBeUndefined();
      expect(await reader?.get(agentId, "0".repeat(64))).toBeUndefined();
    });
  });
}
