import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { openConsole } from "./console-page.ts";
import { scriptedModel } from "./scripted-model.ts";

// A run as people have them: a long model name, and calls of MCP tools beside each other.

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;
let run: string;

beforeAll(async () => {
  model = await scriptedModel((_, step) => {
    if (step > 1) return { text: "Done." };
    const calls = ["github__search_pull_requests", "linear__list_issues_of_project", "run_javascript"];
    return { calls: calls.map((name) => ({ name, arguments: { query: "is:merged merged:>2026-11-14", code: "1" } })) };
  });
  const options = [...modelAt(model.baseUrl).slice(0, -1), "claude-sonnet-4-5-20250929"];
  service = await startService(newDataDir(), options);
  run = await createRun(service, { name: "Pull requests of the week and issues without an owner", input_text: "go" });
  await finished(service, run);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

/** What goes beyond its box, by class, and the lines that the header's gauges take. Code of the page, as text. */
const measure = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const box = (element) => element.getBoundingClientRect();
  const calls = all(".run-call");
  const isOver = (one, other) =>
    box(one).right > box(other).left + 1 && box(one).left < box(other).right - 1 &&
    box(one).bottom > box(other).top + 1 && box(one).top < box(other).bottom - 1;
  return {
    gaugeLines: new Set(all(".run-gauges > .gauge").map((gauge) => box(gauge).top)).size,
    rightEdges: ["facts", "actions"].map((name) => Math.round(box(all(".run-header .run-" + name)[0]).right)),
    calls: calls.map((call) => call.querySelector(".mono").innerText),
    covered: calls.filter((call, index) => calls.some((other, at) => at > index && isOver(call, other))).length,
    headLine: box(all(".run-name")[0]).height,
    outside: calls.filter((call) => [...call.children].some((part) => box(part).right > box(call).right + 1)).length,
  };
})()`;

test.each([1280, 1366, 1440])(
  "at %i px, the header has one line of gauges, and calls stay in their boxes",
  async (width) => {
    await using view = await openConsole(browser, service.consoleUrl, {
      path: `runs/${run}`,
      viewport: { width, height: 800 },
    });
    await view.page.getByRole("button", { name: /search_pull_requests/ }).waitFor();
    const edge = width - 24;
    expect(await view.page.evaluate(measure)).toEqual({
      gaugeLines: 1,
      rightEdges: [edge, edge],
      calls: ["github › search_pull_requests", "linear › list_issues_of_project", "run_javascript"],
      covered: 0,
      headLine: 32,
      outside: 0,
    });
  },
);
