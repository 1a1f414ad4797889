import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Schemas } from "../../../src/manage/call.ts";
import { chatServer, chunk, streams } from "../../providers/chat-completions-server.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";

const model = await chatServer(streams(chunk({ content: "Done." }), chunk({}, { finish_reason: "stop" })));
let service: ManageService;
beforeAll(async () => {
  const { baseUrl } = model;
  service = await manageService({ model: { enabled: true, provider: "openai-compatible", baseUrl, model: "m" } });
});
afterAll(() => Promise.all([service[Symbol.asyncDispose](), model[Symbol.asyncDispose]()]));

test("a run whose environment is not installed tells the model and the operator, and is not an error", async () => {
  const { organizationId } = (await service.platform.accounts.findAgent(service.templateId)) ?? {};
  const definition = { name: "A", instructions: "I", tools: ["run_python"], environment: "reports" };
  const created = await service.call<Schemas["Agent"]>("POST", "/agents", {
    body: { organization_id: organizationId, definition },
  });
  const { body: run } = await service.call<Schemas["Run"]>("POST", "/runs", {
    body: { agent_id: created.body.id, name: "Run", input_text: "Compute." },
  });
  const path = `/runs/${run.id}`;
  const isFinished = async () => expect((await service.call("GET", path)).body["status"]).toBe("finished");
  await vi.waitFor(isFinished, { interval: 20, timeout: 25_000 });

  const note =
    /Tools that do not run as .*\nrun_python has Python's standard library only, without the environment "reports"\. Programs do not run/;
  expect(model.received[0]?.body.messages.at(-1)).toMatchObject({ role: "user", content: expect.stringMatching(note) });
  const { data } = (await service.call<Schemas["EventPage"]>("GET", `${path}/events`)).body;
  const answer = data.find(({ type }) => type === "model_call");
  expect(answer).toMatchObject({ note: expect.stringMatching(note) });
  expect(data.at(-1)).toMatchObject({ type: "output", text: "Done." });
});
