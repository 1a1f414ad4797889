import type { ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createRun } from "../integration/service.ts";
import { chunk, send, toolCallChunk } from "../providers/chat-completions-server.ts";
import { finishes, streamedModel, writes } from "../providers/streamed-model.ts";
import { own, ownOrganization } from "./own-service.ts";

// What the page shows of an answer while a model writes it. The test is the model.

const model = own(streamedModel);
const service = ownOrganization({ model });

const nextCall = (): Promise<ServerResponse> => model.nextCall();

/** Ends an answer with a call of a tool, so that another step follows. */
function callsTool(call: ServerResponse): void {
  send(call, toolCallChunk(0, { id: "c", name: "write_file", arguments: '{"name":"a.txt","content":"a"}' }));
  send(call, chunk({}, { finish_reason: "tool_calls" }), "[DONE]");
  call.end();
}

/** Growing text that the page shows. */
const growing = (page: Page) => page.locator(".run-row.live .run-grown");
const textOf = (page: Page) => growing(page).textContent();

/**
 * Notes after each change of the page how often the timeline has a text. Returns a function that reads the different numbers.
 */
async function watchTimes(page: Page, text: string): Promise<() => Promise<number[]>> {
  const noted = await page.locator(".run-scroller").evaluateHandle((steps, searched) => {
    const times = (): number => (steps as HTMLElement).innerText.split(searched).length - 1;
    const numbers = new Set([times()]);
    const observer = new MutationObserver(() => numbers.add(times()));
    observer.observe(steps, { subtree: true, childList: true, characterData: true });
    return numbers;
  }, text);
  return () => noted.evaluate((numbers) => [...numbers].toSorted((a, b) => a - b));
}

/** 100 lines, numbered from `from`. */
const lines = (from: number): string => Array.from({ length: 100 }, (_, index) => `Line ${from + index}\n`).join("");

/** Pixels of the growing text below what the timeline shows. */
const below = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const [text, shown] = [".run-row.live", ".run-scroller"].map((name) => document.querySelector(name));
    return text && shown ? text.getBoundingClientRect().bottom - shown.getBoundingClientRect().bottom : NaN;
  });

test.each([1280, 390])("a text grows, and the recorded answer replaces it once (%i px)", async (width) => {
  const run = await createRun(service, { name: "Grows", input_text: "Write." });
  const { page } = await service.open(`runs/${run}`, { viewport: { width, height: 800 } });
  const call = await nextCall();
  writes(call, "Once upon a time\n");
  await expect.poll(() => textOf(page)).toBe("Once upon a time");
  writes(call, `there was a <b>fox</b>. ${"fox".repeat(300)}`);
  await expect.poll(async () => (await textOf(page))?.length).toBeGreaterThan(900);
  expect(await growing(page).locator("b").count()).toBe(0);
  expect(await page.locator(":is([aria-live], [role=status], [role=log], [role=alert]) .run-row.live").count()).toBe(0);
  const [wide, visible] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth] as const;
  });
  expect(wide).toBeLessThanOrEqual(visible);
  await page.reload();
  await expect.poll(async () => (await textOf(page))?.length).toBeGreaterThan(900);
  expect(await textOf(page)).toMatch(/^Once upon a time\nthere was/);
  const times = await watchTimes(page, "Once upon a time");
  callsTool(call);
  const next = await nextCall();
  await growing(page).waitFor({ state: "detached" });
  expect(await times()).toEqual([1]);
  writes(next, "The end.");
  await expect.poll(() => textOf(page)).toBe("The end.");
  finishes(next);
  await page.getByRole("main").getByText("Finished", { exact: true }).first().waitFor();
  expect(await growing(page).count()).toBe(0);
  expect(await times()).toEqual([1]);
});

test("a text that begins right after the answer before it has its beginning", async () => {
  const run = await createRun(service, { name: "Quick", input_text: "Write." });
  const { page } = await service.open(`runs/${run}`);
  for (const words of ["one", "two", "three", "four"]) {
    const call = await nextCall();
    writes(call, `Step ${words} begins, `);
    await expect.poll(() => textOf(page)).toBe(`Step ${words} begins, `);
    writes(call, "and ends.");
    await expect.poll(() => textOf(page)).toBe(`Step ${words} begins, and ends.`);
    callsTool(call);
  }
  const last = await nextCall();
  writes(last, "All done.");
  finishes(last);
});

test("a repeated call begins the text again", async () => {
  const run = await createRun(service, { name: "Again", input_text: "Write." });
  const { page } = await service.open(`runs/${run}`);
  const first = await nextCall();
  writes(first, "A first attempt");
  await expect.poll(() => textOf(page)).toBe("A first attempt");
  first.destroy();
  await growing(page).waitFor({ state: "detached" });
  const second = await nextCall();
  writes(second, "Another one");
  await expect.poll(() => textOf(page)).toBe("Another one");
  expect(await page.locator(".run-scroller").innerText()).not.toContain("A first attempt");
  finishes(second);
  await growing(page).waitFor({ state: "detached" });
});

test("the end of a long text stays in view until the reader scrolls up", async () => {
  const run = await createRun(service, { name: "Long", input_text: "Write." });
  const { page } = await service.open(`runs/${run}`);
  const call = await nextCall();
  writes(call, lines(0));
  await expect.poll(() => textOf(page)).toBe(lines(0).trim());
  // Each part is followed before the next one comes, without a wait for the clock of the page.
  for (let from = 100; from < 500; from += 100) {
    writes(call, lines(from));
    await expect.poll(() => textOf(page)).toContain(`Line ${from + 99}`);
    expect(await below(page)).toBeLessThan(2);
  }
  await page.locator(".run-scroller").hover();
  await page.mouse.wheel(0, -600);
  await page.getByRole("button", { name: "Follow live" }).waitFor();
  const scrolled = () => page.locator(".run-scroller").evaluate(({ scrollTop }) => scrollTop);
  const top = await scrolled();
  writes(call, lines(500));
  await expect.poll(() => textOf(page)).toContain("Line 599");
  expect(await scrolled()).toBe(top);
  await page.getByRole("button", { name: "Follow live" }).click();
  await expect.poll(() => below(page)).toBeLessThan(2);
  finishes(call);
});

test("a shared run has the text, too", async () => {
  const run = await createRun(service, { name: "Shared", input_text: "Write." });
  const { token } = await service.call<{ token: string }>("POST", `/runs/${run}/tokens`, {});
  const page = await service.newPage();
  await page.goto(`${service.baseUrl}/console/share#${token}`);
  const call = await nextCall();
  writes(call, "For all to read");
  await expect.poll(() => textOf(page)).toBe("For all to read");
  finishes(call);
  await growing(page).waitFor({ state: "detached" });
});
