import { randomUUID } from "node:crypto";
import { bearer } from "../client.ts";
import { type Case, expect, expectEqual } from "../expect.ts";
import { expectCode, ext, newRun, pageOf, runOf } from "./client.ts";

/** Needs `--other-api-key`. */
export const isolationCases: Case[] = [
  {
    name: "ext: a run of another agent looks like an unknown run in every operation",
    async run(target) {
      const auth = bearer(target.otherApiKey ?? "");
      const { id } = await newRun(target, { files: [{ filename: "a.txt", content_base64: "QQ==" }] });
      const reads = ["", "/events", "/files", "/files/a.txt"].map((path) => `GET /runs/:id${path}`);
      for (const at of [...reads, "POST /runs/:id/input", "POST /runs/:id/stop", "DELETE /runs/:id"]) {
        const body = at.endsWith("/input") ? { body: { input_text: "Hello" } } : {};
        const answerFor = (run: string) => ext(target, at.replace(":id", run), { auth, ...body });
        const response = await answerFor(id);
        expectCode(response, 404, "run_not_found");
        const unknown = randomUUID();
        const same = (await answerFor(unknown)).text.replace(unknown, id);
        expect(response.text === same, `the body of an unknown run: ${same}`, response.text);
      }
      expectEqual(runOf(await ext(target, `GET /runs/${id}`)).status, "finished", "the unchanged status");
    },
  },
  {
    name: "ext: another agent's list does not contain the run, nor does its idempotency key find it",
    async run(target) {
      const auth = bearer(target.otherApiKey ?? "");
      const value = randomUUID();
      const call = { body: { name: "conformance", labels: { value } }, headers: { "idempotency-key": value } };
      const mine = runOf(await ext(target, "POST /runs", call), 201);
      expectEqual(pageOf(await ext(target, `GET /runs?label=value=${value}`, { auth })).data, [], "no runs:");
      const other = runOf(await ext(target, "POST /runs", { ...call, auth }), 201);
      expect(mine.id !== other.id, "two runs", "one");
    },
  },
];
