import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { noMisdeeds, openConsole } from "./console-page.ts";
import { callOf } from "./manage-call.ts";
import { scriptedModel } from "./scripted-model.ts";

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;

beforeAll(async () => {
  model = await scriptedModel((input) => ({ text: "Done.", tokens: { input: Number(input), output: 0 } }));
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  browser = await launchChromium();
  const call = callOf(service);
  const { organization_id } = await call("GET", `/agents/${service.templateId}`);
  // Six agents with prices, and the starter agent without, which uses most.
  for (let index = 1; index <= 6; index++) {
    const definition = { name: `Agent ${index}`, instructions: "Work.", prices: { input: 1_000, output: 0 } };
    const { id } = await call("POST", "/agents", { organization_id, definition });
    const { key: apiKey } = await call("POST", `/agents/${id}/keys`, {});
    const caller = { ...service, apiKey, templateId: id };
    await finished(caller, await createRun(caller, { input_text: String(index * 1_000) }));
  }
  await finished(service, await createRun(service, { input_text: "2000000" }));
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

test("the largest consumer is first although it has no prices, and its cost is never $0", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "usage" });
  const { page, misdeeds } = view;
  const rows = page.getByRole("table").first().getByRole("row");
  await page.getByRole("link", { name: "Starter agent" }).waitFor();
  expect(await rows.nth(1).innerText()).toMatch(
    /Starter agent\s+1\s+0\s+2\.0 M\s+\S+ %\s+not known\s+not known\s+99 %/,
  );
  await page.getByText("Cost, where prices are known").waitFor();
  await page.getByText("2.0 M tokens of 1 agent have no price").waitFor();
  expect(misdeeds).toEqual(noMisdeeds);
});

test("Other opens: each of its agents has a row, in the same order", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "usage?rank=dollars" });
  const { page } = view;
  const others = page.getByRole("button", { name: "Other (3 agents)" });
  await others.click();
  const names = page.getByRole("table").first().getByRole("rowheader");
  expect((await names.allInnerTexts()).join(", ")).toBe(
    "Agent 6, Agent 5, Agent 4, Agent 3, Other (3 agents), Agent 2, Agent 1, Starter agent",
  );
  expect(await page.getByRole("link", { name: "Set prices" }).getAttribute("href")).toBe(
    `/console/agents/${service.templateId}?tab=edit`,
  );
  await others.click();
  expect(await names.count()).toBe(5);
});
