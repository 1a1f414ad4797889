import { randomUUID } from "node:crypto";
import { created, pollToEnd } from "../client.ts";
import { type Case, describe, expect, expectEqual } from "../expect.ts";
import { bodyOf, ended, expectCode, ext, listed, newRun, pageOf, runOf } from "./client.ts";

const ids = (runs: Record<string, unknown>[]): unknown[] => runs.map(({ id }) => id);

export const runCases: Case[] = [
  {
    name: "ext list: the runs with a label, newest first, page by page",
    async run(target) {
      const value = randomUUID();
      const expected: string[] = [];
      for (let index = 0; index < 3; index++) expected.unshift((await newRun(target, { labels: { value } })).id);
      await newRun(target, { labels: { value: "other" } });
      expectEqual(ids(await listed(target, `/runs?label=value=${value}&limit=1`, "cursor")), expected, "the ids");
    },
  },
  {
    name: "ext list: has runs of v1, and filters by status and text",
    async run(target) {
      const name = `conformance ${randomUUID()}`;
      const id = await created(target, { name });
      const found = async (query: string): Promise<unknown[]> => {
        return ids(pageOf(await ext(target, `GET /runs?q=${encodeURIComponent(name)}&${query}`)).data);
      };
      expectEqual(await found("status=waiting_for_input"), [id], "the ids of idle runs");
      expectEqual(await found("status=running"), [], "the ids of running runs");
    },
  },
  {
    name: "ext list: rejects unknown parameters, limits and labels",
    async run(target) {
      for (const query of ["unknown=1", "limit=0", "limit=x", "status=done", "label=", "label=a b=c"]) {
        const response = await ext(target, `GET /runs?${query.replaceAll(" ", "%20")}`);
        expectCode(response, 422, "invalid_request", "invalid_argument");
      }
    },
  },
  {
    name: "ext read: an unknown run is 404, an invalid id 422",
    async run(target) {
      const id = randomUUID();
      for (const at of [
        `GET /runs/${id}`,
        `GET /runs/${id}/events`,
        `GET /runs/${id}/files`,
        `POST /runs/${id}/stop`,
        `DELETE /runs/${id}`,
      ]) {
        expectCode(await ext(target, at), 404, "run_not_found");
      }
      expectCode(await ext(target, "GET /runs/no-uuid"), 422, "invalid_request");
    },
  },
  {
    name: "ext labels: are replaced, found by lists, and limited as in a create",
    async run(target) {
      const value = randomUUID();
      const { id } = await newRun(target, { labels: { value: "before", kept: "no" } });
      const labels = { value };
      const changed = runOf(await ext(target, `PATCH /runs/${id}`, { body: { labels } }));
      expectEqual(changed["labels"], labels, "the labels of the answer");
      expectEqual(runOf(await ext(target, `GET /runs/${id}`))["labels"], labels, "the labels of the run");
      expectEqual(ids(pageOf(await ext(target, `GET /runs?label=value=${value}`)).data), [id], "the ids");
      const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`label${index}`, "x"]));
      for (const body of [{}, { labels: null }, { labels: { "a b": "x" } }, { labels: { a: 1 } }, { labels: many }]) {
        expectCode(await ext(target, `PATCH /runs/${id}`, { body }), 422, "invalid_request");
      }
      const none = runOf(await ext(target, `PATCH /runs/${id}`, { body: { labels: {} } }));
      expectEqual(none["labels"], {}, "no labels:");
    },
  },
  {
    name: "ext tokens: a token reads its run and nothing else, until it is revoked",
    async run(target) {
      const { id } = await newRun(target);
      const { id: other } = await newRun(target);
      const answer = bodyOf(await ext(target, `POST /runs/${id}/tokens`, { body: { expires_in: 600 } }), 201);
      const token = String(answer["token"]);
      const reader = { ...target, apiKey: token };
      expectEqual(runOf(await ext(reader, `GET /runs/${id}`))["id"], id, "the id");
      for (const part of ["events", "files"]) pageOf(await ext(reader, `GET /runs/${id}/${part}`));
      expectCode(await ext(reader, `GET /runs/${other}`), 404, "run_not_found");
      const input = { body: { input_text: "Go." } };
      for (const [at, options] of [
        ["GET /runs", {}],
        ["GET /agent", {}],
        [`POST /runs/${id}/input`, input],
        [`POST /runs/${id}/stop`, {}],
        [`GET /runs/${id}/tokens`, {}],
      ] as const) {
        expectCode(await ext(reader, at, options), 403, "token_reads_one_run");
      }
      const list = JSON.stringify(bodyOf(await ext(target, `GET /runs/${id}/tokens`), 200));
      expectEqual(list.includes(token), false, "the list has the token itself:");
      expectEqual((await ext(target, `DELETE /runs/${id}/tokens/${String(answer["id"])}`)).status, 204, "the status");
      expectCode(await ext(reader, `GET /runs/${id}`), 401, "key_invalid");
      const asked = await newRun(target, { token: {} });
      expectEqual(typeof (asked["token"] as { token?: unknown } | null)?.token, "string", "the type of its token");
    },
  },
  {
    name: "ext input: starts the first turn of an idle run, and a second turn",
    async run(target) {
      const { id } = await newRun(target);
      for (const turn of [1, 2]) {
        const input_text = `Input ${turn}: reply with one word.`;
        const accepted = await ext(target, `POST /runs/${id}/input`, { body: { input_text } });
        expectEqual(runOf(accepted, 202).turn, turn, "the turn");
        await ended(target, id);
      }
      const { transcript } = await pollToEnd(target, id);
      const roles = transcript.map(({ role }) => role.split("_")[0]);
      expectEqual(roles, ["input", "output", "input", "output"], "the roles of v1's transcript");
    },
  },
  {
    name: "ext read: a wait is answered when the turn has ended",
    async run(target) {
      const { id } = await newRun(target, { input_text: "Reply with one word." });
      for (let attempt = 0; attempt < 30; attempt++) {
        if (runOf(await ext(target, `GET /runs/${id}?wait=20`)).status !== "running") break;
      }
      expectEqual(runOf(await ext(target, `GET /runs/${id}?wait=20`)).status, "finished", "the status");
      expectCode(await ext(target, `GET /runs/${id}?wait=21`), 422, "invalid_request");
    },
  },
  {
    name: "ext input: an idempotency key makes it safe to repeat",
    async run(target) {
      const { id } = await newRun(target);
      const headers = { "idempotency-key": randomUUID() };
      const send = (input_text: string) => ext(target, `POST /runs/${id}/input`, { headers, body: { input_text } });
      const responses = await Promise.all(Array.from({ length: 5 }, () => send("Reply with one word.")));
      const fresh = responses.filter((response) => response.headers["idempotent-replayed"] === undefined).length;
      expectEqual(fresh, 1, "the responses that are not replays");
      for (const response of responses) expectEqual(runOf(response, 202).turn, 1, "the turn");
      expectCode(await send("Another text."), 422, "idempotency_key_reused");
      await ended(target, id);
      const { transcript } = await pollToEnd(target, id);
      expectEqual(
        transcript.filter(({ role }) => role === "input_to_agent").length,
        1,
        "the inputs of v1's transcript",
      );
    },
  },
  {
    name: "ext input: requires a text",
    async run(target) {
      const { id } = await newRun(target);
      for (const body of [{}, { input_text: "" }, { input_text: null }, { input_text: "a", more: 1 }]) {
        expectCode(await ext(target, `POST /runs/${id}/input`, { body }), 422, "invalid_request");
      }
    },
  },
  {
    name: "ext stop: ends a run for good, and can be repeated",
    async run(target) {
      const { id } = await newRun(target);
      for (let attempt = 0; attempt < 2; attempt++) {
        expectEqual(runOf(await ext(target, `POST /runs/${id}/stop`)).status, "terminated", "the status");
      }
      const { loop_status } = await pollToEnd(target, id);
      expectEqual(loop_status, "terminated", "v1's loop_status");
      const body = { input_text: "More." };
      expectCode(await ext(target, `POST /runs/${id}/input`, { body }), 409, "run_ended");
    },
  },
  {
    name: "ext delete: leaves a run without texts and can be repeated, or is 403 and changes nothing",
    async run(target) {
      const { id } = await newRun(target, { name: "conformance delete", labels: { value: "kept" } });
      const response = await ext(target, `DELETE /runs/${id}`);
      const before = runOf(await ext(target, `GET /runs/${id}`));
      if (response.status === 403) {
        expectCode(response, 403, "delete_not_allowed");
        expectEqual(before["name"], "conformance delete", "the unchanged name");
        return;
      }
      for (const left of [runOf(response), before, runOf(await ext(target, `DELETE /runs/${id}`))]) {
        expectEqual([left.status, left["name"], left["labels"]], ["terminated", "", {}], "status, name and labels");
      }
      expectEqual(pageOf(await ext(target, `GET /runs/${id}/events`)).data, [], "no events:");
    },
  },
  {
    name: "ext: an unknown path is 404, another method 405",
    async run(target) {
      expectCode(await ext(target, "GET /no-such-path"), 404, "not_found");
      const response = await ext(target, "DELETE /runs");
      expect([404, 405].includes(response.status), "404 or 405", describe(response));
    },
  },
];
