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
const long = `Reader of ${"suppliers, certificates and delivery notes, ".repeat(4)}`.slice(0, 190);

beforeAll(async () => {
  model = await scriptedModel((input) => (input === "fail" ? { status: 400, text: "no" } : { text: "Done." }));
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  browser = await launchChromium();
  const call = callOf(service);
  const { organization_id } = await call("GET", `/agents/${service.templateId}`);
  for (const name of [long, "Twin", "Twin"]) {
    await call("POST", "/agents", { organization_id, definition: { name, instructions: "Work." } });
  }
  for (const input_text of ["fail", "go", "go"]) await finished(service, await createRun(service, { input_text }));
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

test("an agent shows its runs of 24 hours, its errors and its unknown cost, and comes first", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "agents" });
  const { page, misdeeds } = view;
  const first = page.getByRole("row").nth(1);
  await first.getByText("33 %").waitFor();
  expect(await first.innerText()).toMatch(/Starter agent\s+m\s+1\s+3\s+33 %\s+not known\s+now/);
  expect(await first.locator(".alarming .icon").count()).toBe(1);
  expect(await page.getByRole("row", { name: /Reader of/ }).innerText()).toMatch(/–\s+–\s+–\s+never/);
  await page.getByRole("button", { name: "Agent", exact: true }).click();
  await page.waitForURL(/sort=name/);
  await expect.poll(() => page.getByRole("row").nth(1).innerText()).toMatch(/^Reader of/);
  expect(misdeeds).toEqual(noMisdeeds);
});

test("agents with the same name have their ids beside it", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "agents" });
  const twins = view.page.getByRole("row", { name: /Twin [0-9a-f]{8}/ });
  await expect.poll(() => twins.count()).toBe(2);
});

test.each([1280, 390])("a long name is cut at %d px, and pushes nothing off the page", async (width) => {
  const options = { path: "agents", viewport: { width, height: 800 } };
  await using view = await openConsole(browser, service.consoleUrl, options);
  const row = view.page.getByRole("row", { name: /Reader of/ });
  await row.getByText("never").waitFor();
  const name = await row.getByRole("link").boundingBox();
  const last = await row.getByText("never").boundingBox();
  expect((name?.x ?? 0) + (name?.width ?? 0)).toBeLessThan(width);
  expect((last?.x ?? width) + (last?.width ?? 0)).toBeLessThanOrEqual(width);
  expect(await view.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
});

test("a phone has no hints of keys, and searches as wide as the page", async () => {
  const options = { path: "runs", viewport: { width: 390, height: 844 }, isPhone: true };
  await using view = await openConsole(browser, service.consoleUrl, options);
  const { page } = view;
  for (const path of ["runs", "agents"]) {
    await view.goto(path);
    const field = page.getByRole("searchbox");
    await field.waitFor();
    await expect.poll(async () => (await field.boundingBox())?.width).toBe(390 - 2 * 16);
  }
  await view.goto("runs");
  await page.getByRole("button", { name: "Start run" }).click();
  await page.getByRole("dialog").waitFor();
  expect(await page.locator("kbd:visible").count()).toBe(0);
});

test("the agent of Start run is the last used one, and those with the same name have their ids", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "runs" });
  const { page } = view;
  const agent = page.getByRole("dialog").getByLabel("Agent");
  const chosen = "document.querySelector('dialog select').selectedOptions[0].textContent";
  await page.getByRole("link", { name: "test" }).first().waitFor();
  await page.keyboard.press("n");
  const second = await agent
    .locator("option", { hasText: /^Twin \([0-9a-f]{8}\)$/ })
    .nth(1)
    .innerText(); // waits for it
  await agent.selectOption({ label: second });
  await page.getByRole("dialog").getByLabel("Input").fill("go");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { level: 1, name: "go" }).waitFor();
  await page.keyboard.press("n");
  await agent.waitFor();
  expect(await page.evaluate(chosen)).toBe(second);
});

test("the filter of agents is searched by typing", async () => {
  const call = callOf(service);
  const { organization_id } = await call("GET", `/agents/${service.templateId}`);
  for (let index = 1; index <= 10; index++) {
    await call("POST", "/agents", { organization_id, definition: { name: `More ${index}`, instructions: "Work." } });
  }
  await using view = await openConsole(browser, service.consoleUrl, { path: "runs" });
  const { page } = view;
  await page.getByRole("button", { name: "Agent All" }).click();
  await page.getByRole("searchbox", { name: "Find an agent" }).waitFor();
  await page.keyboard.type("starter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`agent=${service.templateId}`));
});

test("an archived agent is read, and changed again after it is unarchived", async () => {
  const call = callOf(service);
  const { organization_id } = await call("GET", `/agents/${service.templateId}`);
  const definition = { name: "Old one", instructions: "Work." };
  const { id } = await call("POST", "/agents", { organization_id, definition });
  await call("POST", `/agents/${id}/archive`);
  await using view = await openConsole(browser, service.consoleUrl, { path: `agents/${id}?tab=edit` });
  const { page } = view;
  const name = page.getByLabel("Name", { exact: true });
  await page.getByText("This agent is archived. Unarchive it to change it.").first().waitFor();
  expect(await name.isEditable()).toBe(false);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Unarchive" }).click();
  await expect.poll(() => name.isEditable()).toBe(true);
});

test("a new agent without prices is offered those of its provider's list", async () => {
  const call = callOf(service);
  const { id } = await call("POST", "/organizations", { name: "Paying" });
  const secret = "env:ANTHROPIC_API_KEY";
  await call("PUT", `/organizations/${id}/model`, {
    provider: "anthropic",
    model: "claude-haiku-4-5",
    secret,
    enabled: true,
  });
  await using view = await openConsole(browser, service.consoleUrl, { path: "agents/new" });
  const { page, misdeeds } = view;
  await page.getByLabel("Organization").selectOption({ label: "Paying" });
  await page.getByText("List prices of claude-haiku-4-5 per million tokens: $1 input, $0.1 cached").waitFor();
  await page.getByRole("button", { name: "Use these prices" }).click();
  await page.getByText("Without prices").waitFor({ state: "detached" });
  const file = await page.getByRole("textbox", { name: "Agent file" }).inputValue();
  expect((JSON.parse(file) as { prices: object }).prices).toEqual({
    input: 1,
    output: 5,
    cachedInput: 0.1,
    cacheWriteInput: 1.25,
  });
  expect(misdeeds).toEqual(noMisdeeds);
});
