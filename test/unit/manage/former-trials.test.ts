import { afterAll, beforeAll, expect, test } from "vitest";
import { noUsage } from "../../../src/agent/turn/turn-limits.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import type { AttemptOutcome, TurnEnding } from "../../../src/trials/trial-types.ts";
import { type ManageService, manageService, untilIdle } from "../../support/manage-service.ts";

// Trials that earlier releases created with a mode that this one does not have.

const first = { step: 2, reason: "The model calls list_files in place of read_file." };
const steps = { compared: 3, changed: 1, first };

let service: ManageService;
let agentId: string;

beforeAll(async () => {
  service = await manageService({ model: { provider: "demo", enabled: true } });
  agentId = service.templateId;
  const body = { agent_id: agentId, name: "Recorded", input_text: "Report." };
  const { id } = (await service.call<Schemas["CreatedRun"]>("POST", "/runs", { body })).body;
  await untilIdle(service, id);
});
afterAll(() => service[Symbol.asyncDispose]());

function create(more: object = {}) {
  const body = { version: 1, last: 1, budget: { tokens: 1_000_000 }, ...more };
  return service.call<Schemas["Trial"]>("POST", `/agents/${agentId}/trials`, { body });
}

/** Stores a trial as an earlier release did. */
async function stored(status: "estimated" | "running" | "finished"): Promise<string> {
  const { id } = (await create()).body;
  const { trials } = service.platform;
  const [trial, one] = await Promise.all([trials.find(id), trials.findCase(id, 1)]);
  if (!trial || !one) throw new Error("the trial was not stored");
  const outcome: AttemptOutcome<TurnEnding> = { ending: { kind: "finished" }, assertions: [], used: noUsage, steps };
  const candidate = { runId: one.source.runId, budget: {}, ...(status === "finished" && { outcome }) };
  await trials.replaceCase({ ...one, revision: 1, ...(status !== "estimated" && { candidate }) });
  await trials.replace({ ...trial, revision: 1, status, mode: "next_step" });
  return id;
}

test("a trial that compared steps is listed and shown with what it found", async () => {
  const id = await stored("finished");
  const { body: list } = await service.call<Schemas["TrialHeadPage"]>("GET", `/agents/${agentId}/trials`);
  expect(list.data[0]).toMatchObject({ id, mode: "next_step", summary: expect.stringContaining("1 different") });
  const { body: trial } = await service.call<Schemas["Trial"]>("GET", `/trials/${id}`);
  expect(trial).toMatchObject({ mode: "next_step", summary: { verdicts: { different: 1 }, medians: null } });
  const { body: detail } = await service.call<Schemas["TrialCaseDetail"]>("GET", `/trials/${id}/cases/1`);
  expect(detail.case).toMatchObject({ verdict: "different", candidate: { ended: "finished", reason: first.reason } });
});

test("a trial that was not started is not started any more", async () => {
  const id = await stored("estimated");
  const { status, body } = await service.call("POST", `/trials/${id}/start`);
  expect([status, body]).toMatchObject([409, { code: "trial_mismatch", detail: expect.stringContaining("new trial") }]);
  expect((await service.call("DELETE", `/trials/${id}`)).status).toBe(204);
});

test("a trial in progress ends without another attempt, and says nothing of attempts that ended", async () => {
  const id = await stored("running");
  const { body } = await service.call<Schemas["Trial"]>("POST", `/trials/${id}/start`);
  expect(body).toMatchObject({ status: "finished", ended_by: "operator", summary: { open: 1, tried: 0 } });
});

test("a mode can be named, if it is the one that there is", async () => {
  expect((await create({ mode: "rerun" })).body.mode).toBe("rerun");
  const { status, body } = await create({ mode: "next_step" });
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining("Input should be 'rerun'")]);
  const neither = JSON.stringify((await create({ version: undefined })).body);
  expect(neither).toContain("expected definition or version, received neither");
});
