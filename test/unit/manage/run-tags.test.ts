import { afterAll, beforeAll, expect, test } from "vitest";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { type ManageService, manageService, untilIdle } from "../../support/manage-service.ts";

let service: ManageService;
beforeAll(async () => {
  service = await manageService();
});
afterAll(() => service[Symbol.asyncDispose]());

test("a poll with the ETag of a run has a body when the run, or the name of its agent, has changed", async () => {
  const agentPath = `/agents/${service.templateId}`;
  const { body: created } = await service.call<Schemas["CreatedRun"]>("POST", "/runs", {
    body: { agent_id: service.templateId, name: "Run", input_text: "Work." },
  });
  await untilIdle(service, created.id);
  const read = (etag?: string) =>
    service.call<Schemas["RunDetail"]>("GET", `/runs/${created.id}`, {
      headers: etag === undefined ? {} : { "if-none-match": etag },
    });
  const etag = (await read()).headers.get("etag") ?? "";
  const same = await read(etag);
  expect([same.status, same.body]).toEqual([304, ""]);
  const { body: agent, headers } = await service.call<Schemas["Agent"]>("GET", agentPath);
  const definition = { ...agent.definition, name: "Renamed" };
  await service.call("PUT", agentPath, {
    body: { definition },
    headers: { "if-match": headers.get("etag") ?? "" },
  });
  const renamed = await read(etag);
  expect([renamed.status, renamed.body.agent_name]).toEqual([200, "Renamed"]);
  const last = renamed.headers.get("etag") ?? "";
  expect((await read(last)).status).toBe(304);
  await service.call("DELETE", `/runs/${created.id}`);
  const erased = await read(last);
  expect([erased.status, erased.body.input_excerpt]).toEqual([200, null]);
});
