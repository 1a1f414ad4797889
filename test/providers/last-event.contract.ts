import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { answerOf, request } from "./call-model.ts";
import { modelServer, type Reply } from "./model-server.ts";
import type { ProviderFixture } from "./provider-fixture.ts";

/** For APIs whose event stream has a last event. */
export function lastEventSuite(provider: ProviderFixture): void {
  describe("a response with a last event", () => {
    it.each([
      ["kept open", () => {}],
      ["broken", (response: ServerResponse) => void setTimeout(() => response.destroy(), 20)],
    ])("is complete when the connection is %s after it", async (_, after) => {
      const closed = Promise.withResolvers<void>();
      await using server = await modelServer((response) => {
        response.on("close", () => closed.resolve());
        provider.send(response, { text: ["All of it."], usage: { input: 12, output: 3 } });
        after(response);
      });
      const outcome = await provider.open(server.baseUrl)(request());
      expect(answerOf(outcome)).toMatchObject({ text: "All of it.", usage: { inputTokens: 12, outputTokens: 3 } });
      await closed.promise;
      expect(server.received).toHaveLength(1);
    });

    it("leaves its connection to the next call if it ends soon", async () => {
      const reply: Reply = (response) => {
        provider.send(response, { text: ["All of it."] });
        setTimeout(() => response.end(), 20);
      };
      await using server = await modelServer(reply, reply, reply);
      const model = provider.open(server.baseUrl);
      for (const _ of [1, 2, 3]) {
        answerOf(await model(request()));
        await sleep(100);
      }
      expect(new Set(server.received.map(({ port }) => port)).size).toBe(1);
    });
  });
}
