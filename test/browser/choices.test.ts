import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { finished, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { noMisdeeds, openConsole } from "./console-page.ts";
import { callOf } from "./manage-call.ts";
import { scriptedModel } from "./scripted-model.ts";

// What programs chose: the limits of a run, and the agents of a key.

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;

beforeAll(async () => {
  model = await scriptedModel(() => ({ text: "All done." }));
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

test("the page shows what the create of a run chose", async () => {
  const call = callOf(service);
  const limits = { turn: { steps: 3 }, run: { tokens: 900_000 } };
  const body = { agent_id: service.templateId, name: "Cheap", input_text: "Go.", limits };
  const { id } = await call<{ id: string }>("POST", "/runs", body);
  await finished(service, id);
  await using view = await openConsole(browser, service.consoleUrl, { path: `runs/${id}` });
  await view.page.getByRole("tab", { name: "Cost" }).click();
  await view.page.getByText("The create of the run chose at most 3 steps (turn), 900000 tokens (run).").waitFor();
  expect(view.misdeeds).toEqual(noMisdeeds);
});

test("a key of several agents says so on the page of each", async () => {
  const call = callOf(service);
  const first = await call<{ organization_id: string; definition: object }>("GET", `/agents/${service.templateId}`);
  const { organization_id, definition } = first;
  const { id } = await call<{ id: string }>("POST", "/agents", { organization_id, definition });
  await call("POST", `/agents/${service.templateId}/keys`, { name: "both", more_agent_ids: [id] });
  for (const agent of [service.templateId, id]) {
    await using view = await openConsole(browser, service.consoleUrl, { path: `agents/${agent}?tab=keys` });
    const row = view.page.getByRole("row", { name: /both/ });
    await row.getByText("also for another agent").waitFor();
    await row.getByRole("button", { name: "Disable…" }).click();
    await view.page.getByText("also those for another agent").waitFor();
    expect(view.misdeeds).toEqual(noMisdeeds);
  }
});
