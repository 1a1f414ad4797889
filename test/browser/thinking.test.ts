import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { ConsolePage } from "./console-page.ts";
import { ownOrganization } from "./own-service.ts";

// What the page shows of the model's thinking.

const hostile = "<img src=x onerror=alert(1)> The table has 54 rows.";
const long = `I count. ${"Row by row. ".repeat(400)}`;

let run: string;

const service = ownOrganization({
  script: (_, step) => {
    const reasoning = [hostile, long][step - 1];
    const calls = step < 3 ? [{ name: "list_files", arguments: {} }] : [];
    return { text: "Looks.", thinks: 150, calls, ...(reasoning !== undefined && { reasoning }) };
  },
});

beforeAll(async () => {
  run = await service.endedRun({ name: "Thoughts", input_text: "go" });
});

const open = (query = ""): Promise<ConsolePage> =>
  service.open(`runs/${run}?${query}`, { viewport: { width: 1366, height: 900 } });

const row = (page: Page, step: number) =>
  page.getByRole("list", { name: "Timeline" }).getByRole("listitem", { name: `Step ${step},` });
const thought = (page: Page, step: number) => row(page, step).getByRole("button", { name: /^Thought for/ });

test("it is folded, and opened by a click or for all steps by T", async () => {
  const { page } = await open();
  await thought(page, 1).waitFor();
  expect(await thought(page, 1).innerText()).toMatch(/^Thought for [\d.]+ m?s, \d+ words$/);
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
});

test("text in it is found and unfolded, and the inspector has all of it", async () => {
  const { page } = await open("find=54+rows&at=1.2");
  await row(page, 1).getByText(hostile).waitFor();
  expect(await thought(page, 2).getAttribute("aria-expanded")).toBe("false");
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  await inspector.getByRole("heading", { name: /^Thinking, / }).waitFor();
  const shown = inspector.locator("figure").filter({ hasText: "4,808 characters" });
  await expect.poll(() => shown.locator("code").innerText()).toBe(long.trim());
});
