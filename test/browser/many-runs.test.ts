import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { openConsole } from "./console-page.ts";
import { callOf } from "./manage-call.ts";

// One run that is older than the 1,000 that a search compares at a time.

let browser: Browser;
let service: Service;

beforeAll(async () => {
  service = await startService();
  browser = await launchChromium();
  const call = callOf(service);
  await call("POST", "/runs", { agent_id: service.templateId, name: "Revenue by region, Q3" });
  let left = 1_020;
  const create = async (): Promise<void> => {
    while (left-- > 0) await call("POST", "/runs", { agent_id: service.templateId, name: `Ticket ${left}` });
  };
  await Promise.all([create(), create(), create()]);
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

test("the palette finds a run behind 1,000 newer ones", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "agents" });
  const { page } = view;
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Revenue");
  await page.getByRole("option", { name: /^Revenue by region, Q3/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Revenue by region, Q3" }).waitFor();
});

test("the list shows no counts beside a run that its counts do not reach", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "runs?q=Revenue" });
  const { page } = view;
  await page.getByRole("link", { name: "Revenue by region, Q3" }).waitFor();
  const tabs = page.getByRole("navigation", { name: "Status" });
  await tabs.getByRole("link", { name: "All …" }).waitFor();
  expect(await tabs.innerText()).not.toContain("0");
  await page.getByText(/^1 shown/).waitFor();
});
