import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import type { ConsolePage } from "./console-page.ts";
import { ownOrganization } from "./own-service.ts";

// What the page of a run shows of calls beside each other, of failures, of long and of unfinished runs.

const longMessage = `The server refused the request: ${"no capacity is left in this region, ".repeat(4)}try later`;
const listFiles = { name: "list_files", arguments: {} };
const readFile = (name: string) => ({ name: "read_file", arguments: { name } });

let isBusy = true;
const forever = new Promise<void>(() => {});

const service = ownOrganization({
  script: (input, step) => {
    if (input === "refused") return { status: 401, text: longMessage };
    if (input === "busy" && isBusy) return { status: 503, text: longMessage };
    if (input === "hold" && step === 2) return { until: forever };
    if (step > (input === "long" ? 40 : 1)) return { text: "Done." };
    return { text: `Step ${step} works.`, calls: input === "calls" ? ["a", "b", "c"].map(readFile) : [listFiles] };
  },
});

interface Opened {
  query?: string;
  width?: number;
}

/** A page with a new run of this input. */
async function open(input: string, { query = "", width = 1440 }: Opened = {}): Promise<ConsolePage> {
  const run = await createRun(service, { name: `Run ${input}`, input_text: input });
  if (input !== "hold" && input !== "busy") await finished(service, run);
  const viewport = { width, height: 800 };
  return service.open(`runs/${run}${query}`, { viewport });
}

const inspector = (page: Page) => page.getByRole("complementary", { name: "Inspector" });
const at = (page: Page): string | null => new URL(page.url()).searchParams.get("at");

test("the arrow keys reach each call of a step and each row, also without single keys", async () => {
  const { page } = await open("calls");
  await page.evaluate(() => localStorage.setItem("agent-run-service.single-keys", "off"));
  await page.reload();
  const row = page.getByRole("listitem", { name: /^Step 1/ });
  await row.focus();
  for (const [key, place] of [
    ["Enter", "1.1.1"],
    ["ArrowRight", "1.1.2"],
    ["ArrowRight", "1.1.3"],
    ["ArrowRight", "1.1.3"],
    ["ArrowLeft", "1.1.2"],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => at(page)).toBe(place);
  }
  await expect.poll(() => page.locator(":focus").innerText()).toContain("read_file");
  await page.keyboard.press("ArrowDown");
  const second = page.getByRole("listitem", { name: /^Step 2/ });
  await expect.poll(() => second.evaluate((element) => element.matches(":focus"))).toBe(true);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => row.evaluate((element) => element.matches(":focus"))).toBe(true);
});

test("a refused model call is told once, in red, with what to do", async () => {
  const { page } = await open("refused");
  const box = page.getByRole("main").getByRole("alert");
  await box.getByText(longMessage).waitFor();
  const timeline = page.getByRole("region", { name: "Steps" });
  await timeline.getByText("The model call failed").waitFor();
  expect(await timeline.getByText("The message is above.").count()).toBe(2); // in the row, and at the end
  expect(await timeline.innerText()).not.toContain("no capacity");
  expect(await timeline.innerText()).not.toContain("Waiting for the model");
  expect(await page.locator(".run-bar.wait").count()).toBe(0);
  expect(await page.locator(".run-bar.unanswered").count()).toBe(1);
  expect(await page.locator(".run-minimap .failed").getAttribute("d")).toMatch(/^M/);
  for (const name of ["Copy error", "Run again…"]) await box.getByRole("button", { name }).waitFor();
  expect(await box.getByRole("link", { name: "Edit model" }).getAttribute("href")).toContain("models?organization=");
});

test("the times of a failed run agree", async () => {
  const { page } = await open("refused");
  const turn = page.locator(".run-turn").first();
  await turn.waitFor();
  const [took] = /[\d.,]+ m?s/.exec(await turn.innerText()) ?? [];
  const header = await page.locator(".run-gauges .plain").innerText();
  expect(header).toContain(`worked ${took}`);
});

test("how often a busy provider was tried is always readable", async () => {
  const { page } = await open("busy");
  const line = page.locator(".run-wait");
  await line.getByText(/^(twice|\d times), waited .*next try in/).waitFor();
  const cut = page.locator(".run-wait > span").evaluateAll((parts) =>
    parts.filter((part) => {
      const [box, step] = [part, part.closest(".run-step")].map((each) => each?.getBoundingClientRect());
      return part.scrollWidth > part.clientWidth + 1 || (box?.right ?? NaN) > (step?.right ?? NaN);
    }),
  );
  expect(await cut).toEqual([]);
  await page.getByRole("listitem", { name: /^Step 1/ }).click();
  await inspector(page).getByText("has not answered yet").waitFor();
  expect(await inspector(page).locator(".run-attempts li").count()).toBe(1);
  isBusy = false;
});

test("a long run that has ended opens at the step that the inspector shows", async () => {
  const { page } = await open("long");
  await inspector(page)
    .getByRole("heading", { name: /^Step 40/ })
    .waitFor();
  const row = page.locator("[aria-current=true]");
  await row.waitFor();
  const [shown, scroller] = [await row.boundingBox(), await page.locator(".run-scroller").boundingBox()];
  expect(shown && scroller && shown.y >= scroller.y && shown.y + shown.height <= scroller.y + scroller.height).toBe(
    true,
  );
});

test("the frame of the minimap reaches to the step in progress", async () => {
  const { page } = await open("hold");
  await page.locator(".run-row.live").getByText("Waiting for the model").waitFor();
  const widthOf = async (name: string): Promise<number> => (await page.locator(name).boundingBox())?.width ?? NaN;
  const share = async () => (await widthOf(".run-minimap > .frame")) / (await widthOf(".run-minimap"));
  await expect.poll(share).toBeGreaterThan(0.95);
});

test("on a phone, a tab in the address opens it, and an ended run can be run again", async () => {
  const { page } = await open("refused", { query: "?tab=files", width: 390 });
  await inspector(page).getByRole("tab", { name: "Files", selected: true }).waitFor();
  await inspector(page).getByRole("tab", { name: "Call" }).click();
  await inspector(page).getByRole("tab", { name: "Call", selected: true }).waitFor();
  await page.getByRole("button", { name: "Back to the timeline" }).click();
  const again = page.locator(".run-actions").getByRole("button", { name: "Run again…" });
  await again.waitFor();
  expect(await again.isEnabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Send input" }).isVisible()).toBe(false);
});

test("in forced colours, only the chosen tab is underlined, and the pressed segment has an edge", async () => {
  const view = await open("calls");
  await view.page.emulateMedia({ forcedColors: "active" });
  await inspector(view.page).getByRole("button", { name: "JSON" }).first().waitFor();
  const edges = view.page.evaluate(() =>
    [".tabs > button", ".segments > button"].map((name) => {
      const canvas = getComputedStyle(document.documentElement).backgroundColor;
      return [...document.querySelectorAll(name)].every((each) => {
        const chosen = each.matches("[aria-selected=true], [aria-pressed=true]");
        return chosen === (getComputedStyle(each).borderBottomColor !== canvas);
      });
    }),
  );
  expect(await edges).toEqual([true, true]);
});
