import type { ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createRun } from "../integration/service.ts";
import { chunk, send, toolCallChunk } from "../providers/chat-completions-server.ts";
import { finishes, streamedModel, writes } from "../providers/streamed-model.ts";
import { own, ownService } from "./own-service.ts";

// The row of a step while a model writes its answer, and what becomes of it. The test is the model.

const model = own(streamedModel);
// A test kills the service.
const service = ownService({ model });

const nextCall = (): Promise<ServerResponse> => model.nextCall();

const thinks = (call: ServerResponse, text: string): void => send(call, chunk({ reasoning_content: text }));

/** Ends an answer with a call of a tool, so that another step follows. */
function callsTool(call: ServerResponse): void {
  send(call, toolCallChunk(0, { id: "c", name: "list_files", arguments: "{}" }));
  const usage = { prompt_tokens: 4_000, completion_tokens: 100, total_tokens: 4_100 };
  send(call, chunk({}, { finish_reason: "tool_calls" }), { choices: [], usage }, "[DONE]");
  call.end();
}

/** Writes an answer, and ends it. */
function ends(call: ServerResponse): void {
  writes(call, "Done.");
  finishes(call);
}

/** The row of the step in progress. */
const live = (page: Page) => page.locator(".run-row.live");
const row = (page: Page, step: number) =>
  page.getByRole("list", { name: "Timeline" }).getByRole("listitem", { name: `Step ${step},` });
const thought = (page: Page) => live(page).getByRole("button", { name: /^Thought/ });

/**
 * Notes in each frame where the only grown text of the page is, and how high. Returns a function that reads the different
 * places.
 */
async function watchPlaces(page: Page): Promise<() => Promise<string[]>> {
  const places = await page.evaluateHandle(() => {
    const noted = new Set<string>();
    const note = (): void => {
      const boxes = [...document.querySelectorAll(".run-grown")].map((text) => text.getBoundingClientRect());
      noted.add(boxes.map(({ top, left, width, height }) => [top, left, width, height].map(Math.round)).join(" and "));
      requestAnimationFrame(note);
    };
    note();
    return noted;
  });
  return () => places.evaluate((noted) => [...noted]);
}

const written = [
  "## Resets\n\nThey come from **three hosts** in rack B:\n\n",
  "- `host-03`, 41 %\n- `host-07`, 33 %\n\n",
  "| host | resets |\n|---|---|\n| host-03 | 118 |\n\n",
  `The deploy of 03:12 lowered \`keepalive_timeout\`. ${"It was 75 s before. ".repeat(30)}`,
];

test.each([
  ["an answer with calls", 1440, callsTool],
  ["an answer with calls", 390, callsTool],
  ["the last answer", 1440, finishes],
  ["the last answer", 390, finishes],
])("nothing moves when %s is recorded (%i px)", async (_, width, end) => {
  const run = await createRun(service, { name: "Grows", input_text: "Write." });
  const { page } = await service.open(`runs/${run}`, { viewport: { width, height: 1_600 } });
  const call = await nextCall();
  for (const part of written) writes(call, part);
  await live(page).getByRole("cell", { name: "118" }).waitFor();
  await live(page).getByText("It was 75 s before.").waitFor();
  const places = await watchPlaces(page);
  end(call);
  await row(page, 1).getByRole("cell", { name: "118" }).waitFor();
  if (end === finishes) {
    await page.getByRole("main").getByText("Finished", { exact: true }).first().waitFor();
    await page.getByText("as written above").waitFor();
    expect(await page.locator(".from-output .run-bubble").count()).toBe(0);
  } else {
    const next = await nextCall();
    await row(page, 1)
      .getByRole("button", { name: /list_files/ })
      .waitFor();
    ends(next);
    await page.getByRole("main").getByText("Finished", { exact: true }).first().waitFor();
  }
  expect(await places()).toHaveLength(1);
});

test("a text that grew is shown as recorded when the reader chooses other rows, and after a reload", async () => {
  const run = await createRun(service, { name: "Choice", input_text: "Write." });
  const { page } = await service.open(`runs/${run}`);
  const call = await nextCall();
  const long = `${written.join("")}${"More. ".repeat(600)}The end.`; // longer than what a stream has of a text
  writes(call, long);
  await live(page).getByText("The end.").waitFor();
  finishes(call);
  await row(page, 1).getByText("The end.").waitFor();
  await page.getByText("as written above").waitFor();
  await page.getByRole("button", { name: "Messages" }).click();
  await page.locator(".from-output .run-bubble").getByText("The end.").waitFor();
  await page.getByRole("button", { name: "Timeline" }).click();
  await row(page, 1).getByText("Answer", { exact: true }).waitFor();
  await page.locator(".from-output .run-bubble").getByText("The end.").waitFor();
});

test("thinking grows, folded, and is told apart from the text", async () => {
  const run = await createRun(service, { name: "Thinks", input_text: "Think." });
  const { page } = await service.open(`runs/${run}`);
  const call = await nextCall();
  thinks(call, "Three hosts hold 94 % of the resets.");
  await thought(page).waitFor();
  expect(await thought(page).innerText()).toMatch(/^Thought for [\d.]+ m?s so far$/);
  expect(await live(page).innerText()).not.toContain("Three hosts");
  await page.keyboard.press("t");
  await live(page).getByText("Three hosts hold 94 % of the resets.").waitFor();
  thinks(call, "\n\nThey share rack B.");
  await live(page).getByText("They share rack B.").waitFor();
  writes(call, "The resets come from rack B.");
  await live(page).locator(".run-grown").getByText("The resets come from rack B.").waitFor();
  expect(await live(page).locator(".run-grown").innerText()).toBe("The resets come from rack B.");
  await expect.poll(() => thought(page).innerText()).toMatch(/^Thought for [\d.]+ m?s, 11 words$/);
  await page.keyboard.press("t");
  await live(page).getByText("They share rack B.").waitFor({ state: "detached" });
  await thought(page).click();
  const places = await watchPlaces(page);
  callsTool(call);
  const next = await nextCall();
  await row(page, 1).getByText("They share rack B.").waitFor(); // it stays open
  expect(await places()).toHaveLength(1);
  thinks(next, "Is that all?");
  await thought(page).waitFor();
  await page.reload();
  await thought(page).click();
  await live(page).getByText("Is that all?").waitFor();
  ends(next);
  await page.getByRole("main").getByText("Finished", { exact: true }).first().waitFor();
});

test("a model call in progress has a bar that grows, and tokens that are marked as estimated", async () => {
  const run = await createRun(service, { name: "Bar", input_text: "Write." });
  const { page } = await service.open(`runs/${run}`);
  const first = await nextCall();
  await live(page).getByText("Waiting for the model").waitFor();
  expect(await live(page).locator(".run-tokens").innerText()).toBe("");
  const rightOf = (name: string): Promise<number> =>
    live(page)
      .locator(name)
      .evaluate((element) => element.getBoundingClientRect().right);
  await expect.poll(() => rightOf(".run-bar.model")).toBeCloseTo(await rightOf(".run-lane"), 0);
  writes(first, "I look. ".repeat(50));
  callsTool(first);
  const next = await nextCall();
  await expect.poll(() => live(page).locator(".run-tokens").innerText()).toMatch(/^~4,1\d\d$/);
  writes(next, "x".repeat(4_000));
  await expect.poll(() => live(page).locator(".run-tokens").innerText()).toMatch(/^~5,1\d\d$/);
  expect(await row(page, 1).locator(".run-tokens").innerText()).toBe("4,100");
  finishes(next);
});

test("the text of an answer that a crash interrupted goes when the connection is back", async () => {
  const run = await createRun(service, { name: "Crash", input_text: "Write." });
  const { page } = await service.open(`runs/${run}`);
  const lost = await nextCall();
  writes(lost, "A first attempt");
  await live(page).getByText("A first attempt").waitFor();
  await service.kill();
  await page.getByText(/^Reconnecting/).waitFor();
  await live(page).getByText("A first attempt").waitFor();
  await service.startAgain();
  const again = await nextCall();
  await page.getByRole("banner").getByText("Live", { exact: true }).waitFor();
  await live(page).getByText("A first attempt").waitFor({ state: "detached" });
  await live(page).getByText("Waiting for the model").waitFor();
  writes(again, "Another one");
  await live(page).getByText("Another one").waitFor();
  callsTool(again);
  // Later steps have a record before them, so that the resumption is recorded, too.
  const second = await nextCall();
  writes(second, "In the second step");
  await live(page).getByText("In the second step").waitFor();
  await service.kill();
  await service.startAgain();
  const third = await nextCall();
  await page.getByText("Interrupted").waitFor();
  expect(await live(page).innerText()).not.toContain("In the second step");
  writes(third, "The end.");
  finishes(third);
  await page.getByRole("main").getByText("Finished", { exact: true }).first().waitFor();
});
