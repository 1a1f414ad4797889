import { randomUUID } from "node:crypto";
import { created, pollToEnd, read, sendCall } from "./client.ts";
import { type Case, describe, expect, expectError, expectStatusBody } from "./expect.ts";

export const readCases: Case[] = [
  {
    name: "read: an unknown run is 404",
    async run(target) {
      expectError(await read(target, randomUUID()), 404, "Agent not found");
      expectError(await read(target, "00000000-0000-0000-0000-000000000000"), 404, "Agent not found");
    },
  },
  {
    name: "read: a run is readable as soon as its create responds",
    async run(target) {
      const id = await created(target, { input_text: "Reply with one word." });
      expectStatusBody(await read(target, id), id);
    },
  },
  {
    name: "read: an upper-case UUID is the same run; the response has it in lower case",
    async run(target) {
      const id = await created(target);
      expectStatusBody(await read(target, id.toUpperCase()), id.toLowerCase());
    },
  },
  {
    name: "read: the response of a finished run stays the same",
    async run(target) {
      const id = await created(target, { input_text: "Reply with one word." });
      await pollToEnd(target, id);
      const responses = await Promise.all([read(target, id), read(target, id), read(target, id)]);
      const [first] = responses;
      for (const response of responses) {
        expectStatusBody(response, id);
        expect(response.text === first.text, first.text, response.text);
      }
    },
  },
  {
    name: "routes: an unknown path is 404 with a string as detail",
    async run(target) {
      expectError(await sendCall(target, { path: "/v1/no-such-path" }), 404);
      // The specification leaves open whether an unknown path requires a key.
      const response = await sendCall(target, { path: "/v1/no-such-path", auth: {} });
      expectError(response, response.status === 401 ? 401 : 404);
    },
  },
  {
    name: "routes: a known path with another method is 404 or 405 with a string as detail",
    async run(target) {
      const response = await sendCall(target, { method: "DELETE", path: "/v1/agents" });
      expect([404, 405].includes(response.status), "404 or 405", describe(response));
      expectError(response, response.status);
    },
  },
];
