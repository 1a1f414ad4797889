import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { noMisdeeds, openConsole } from "./console-page.ts";
import { callOf } from "./manage-call.ts";
import { scriptedModel } from "./scripted-model.ts";
import { violations } from "./violations.ts";

// Any two runs are compared side by side.

const hostile = "<img src=x onerror=alert(1)>";

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;
let [left, right] = ["", ""];

beforeAll(async () => {
  model = await scriptedModel((text, step) => {
    const [asked = ""] = text.split("\n"); // without the note on the files of earlier turns
    if (step === 1) return { calls: [{ name: "list_files", arguments: {} }] };
    if (step === 2) return { calls: [{ name: "write_file", arguments: { name: "a.txt", content: asked } }] };
    return { text: `Wrote ${asked} ${hostile}` };
  });
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  browser = await launchChromium();
  left = await createRun(service, { name: `First ${hostile}`, input_text: "apples" });
  right = await createRun(service, { name: "Second", input_text: "pears" });
  await finished(service, left);
  await finished(service, right);
  await callOf(service)("POST", `/runs/${right}/input`, { input_text: "apples" });
  await finished(service, right);
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

test("a run is compared with another one from its page, turn by turn", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: `runs/${left}` });
  const { page, misdeeds } = view;
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Compare with…" }).click();
  await page.getByRole("heading", { level: 1, name: "Compare two runs" }).waitFor();
  const field = page.getByRole("textbox", { name: "Run to compare with" });
  await field.fill("nothing");
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByText("This has no ID of a run.").waitFor();
  await page.getByRole("button", { name: /^Second/ }).click();
  await page.getByRole("link", { name: "Second" }).waitFor();
  await page.getByText("all are equal").waitFor(); // of the last turns
  await page.getByLabel("Right run").getByRole("combobox").selectOption("1");
  await page.getByText("First difference", { exact: true }).waitFor();
  await page.getByText("write_file with another content.").waitFor();
  expect(await page.getByLabel("Output").locator("ins").innerText()).toBe("pears");
  expect(await page.getByLabel("Input").locator("del").innerText()).toBe("apples");
  await page.getByRole("button", { name: "Swap" }).click();
  await page.getByLabel("Left run").getByRole("link", { name: "Second" }).waitFor();
  expect(await page.getByLabel("Left run").getByRole("combobox").inputValue()).toBe("1");
  await page.goBack();
  await page.getByRole("textbox", { name: "Run to compare with" }).waitFor();
  expect(misdeeds).toEqual(noMisdeeds);
});

test("a run that does not exist is named, and another one can be chosen", async () => {
  const unknown = "00000000-0000-4000-8000-000000000009";
  const path = `trials/compare?left=${left}&right=${unknown}`;
  await using view = await openConsole(browser, service.consoleUrl, { path });
  const { page } = view;
  await page.getByText(`run "${unknown}" does not exist`).waitFor();
  await page.getByRole("textbox", { name: "Run to compare with" }).fill(`${service.consoleUrl}/runs/${right}?at=1`);
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("link", { name: "Second" }).waitFor();
});

test.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 390],
] as const)("the page has no violation and fits, %s at %d px", async (colorScheme, width) => {
  const path = `trials/compare?left=${left}&right=${right}&right_turn=1`;
  await using view = await openConsole(browser, service.consoleUrl, {
    path,
    colorScheme,
    viewport: { width, height: 844 },
  });
  const { page } = view;
  await page.getByText("First difference", { exact: true }).waitFor();
  expect(await violations(page, colorScheme)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
});
