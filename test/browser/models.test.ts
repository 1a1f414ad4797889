import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { openConsole } from "./console-page.ts";
import { scriptedModel } from "./scripted-model.ts";

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;

beforeAll(async () => {
  model = await scriptedModel(() => ({ text: "OK" }));
  // The variable may be used as a secret, and is not set.
  service = await startService(newDataDir(), [...modelAt(model.baseUrl), "--allow-secret", "NOT_SET_HERE"]);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

test("the result of a test is shown with the settings that were tested, and only with them", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: "models" });
  const { page } = view;
  const secret = page.getByLabel("Secret");
  const failure = page.getByRole("alert");
  await secret.fill("env:NOT_SET_HERE");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await failure.getByText("model_configuration").waitFor();
  expect(await failure.innerText()).toContain("Correct the settings, then test them again.");
  expect(await failure.innerText()).toContain("The secret is env:NOT_SET_HERE.");
  await secret.fill("");
  await failure.waitFor({ state: "detached" });
  await secret.fill("env:NOT_SET_HERE");
  await failure.waitFor();
  await secret.fill("");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  await page.getByText(/m answered/).waitFor();
  expect(await failure.count()).toBe(0);
});
