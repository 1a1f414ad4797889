import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { type ConsolePage, noMisdeeds, openConsole } from "./console-page.ts";
import { scriptedModel } from "./scripted-model.ts";

// What the page shows of the model's thinking.

const hostile = "<img src=x onerror=alert(1)> The table has 54 rows.";
const long = `I count. ${"Row by row. ".repeat(400)}`;

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;
let run: string;

beforeAll(async () => {
  model = await scriptedModel((_, step) => {
    const reasoning = [hostile, long][step - 1];
    const calls = step < 3 ? [{ name: "list_files", arguments: {} }] : [];
    return { text: "Looks.", thinks: 150, calls, ...(reasoning !== undefined && { reasoning }) };
  });
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  run = await createRun(service, { name: "Thoughts", input_text: "go" });
  await finished(service, run);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

const open = (query = ""): Promise<ConsolePage> =>
  openConsole(browser, service.consoleUrl, { path: `runs/${run}?${query}`, viewport: { width: 1366, height: 900 } });

const row = (page: Page, step: number) =>
  page.getByRole("list", { name: "Timeline" }).getByRole("listitem", { name: `Step ${step},` });
const thought = (page: Page, step: number) => row(page, step).getByRole("button", { name: /^Thought for/ });

test("it is folded, and opened by a click or for all steps by T", async () => {
  await using view = await open();
  const { page } = view;
  await thought(page, 1).waitFor();
  expect(await thought(page, 1).innerText()).toMatch(
    /^Thought for \d+ ms, \d+ words$|^Thought for 0\.\d s, \d+ words$/,
  );
  expect(await thought(page, 2).innerText()).toMatch(/^Thought for .*, 4,8\d\d characters$/);
  expect(
    await row(page, 3)
      .getByRole("button", { name: /^Thought/ })
      .count(),
  ).toBe(0);

  await thought(page, 1).click();
  await row(page, 1).getByText(hostile).waitFor();
  expect(await row(page, 1).getAttribute("aria-current")).toBeNull();
  await page.keyboard.press("t");
  await row(page, 2).getByText("The inspector shows all of it.").waitFor();
  await page.keyboard.press("t");
  await row(page, 1).getByText(hostile).waitFor({ state: "detached" });
  expect(view.misdeeds).toEqual(noMisdeeds);
});

test("text in it is found and unfolded, and the inspector has all of it", async () => {
  await using view = await open("find=54+rows&at=1.2");
  const { page } = view;
  await row(page, 1).getByText(hostile).waitFor();
  expect(await thought(page, 2).getAttribute("aria-expanded")).toBe("false");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByRole("heading", { name: /^Thinking, / }).waitFor();
  const shown = inspector.locator("figure").filter({ hasText: "4,808 characters" });
  await expect.poll(() => shown.locator("code").innerText()).toBe(long.trim());
});
