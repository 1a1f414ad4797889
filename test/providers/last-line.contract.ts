import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { answerOf, request } from "./ask.ts";
import { modelServer, type Reply } from "./model-server.ts";
import type { Wire } from "./wire.ts";

/** Over wires whose answers have a last line, apart from the end of the connection. */
export function lastLineSuite(wire: Wire): void {
  describe("an answer with a last line", () => {
    it.each([
      ["kept open", () => {}],
      ["broken", (response: ServerResponse) => void setTimeout(() => response.destroy(), 20)],
    ])("is complete with it, also when the connection is %s then", async (_, after) => {
      const closed = Promise.withResolvers<void>();
      await using server = await modelServer((response) => {
        response.on("close", () => closed.resolve());
        wire.send(response, { text: ["All of it."], usage: { input: 12, output: 3 } });
        after(response);
      });
      const outcome = await wire.open(server.baseUrl)(request());
      expect(answerOf(outcome)).toMatchObject({ text: "All of it.", usage: { inputTokens: 12, outputTokens: 3 } });
      await closed.promise;
      expect(server.received).toHaveLength(1);
    });

    it("leaves its connection to the next call, when it ends soon after", async () => {
      const reply: Reply = (response) => {
        wire.send(response, { text: ["All of it."] });
        setTimeout(() => response.end(), 20);
      };
      await using server = await modelServer(reply, reply, reply);
      const model = wire.open(server.baseUrl);
      for (const _ of [1, 2, 3]) {
        answerOf(await model(request()));
        await sleep(100);
      }
      expect(new Set(server.received.map(({ port }) => port)).size).toBe(1);
    });
  });
}
