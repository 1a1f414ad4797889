import { beforeAll, expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

// A run as people have them: a long model name, and calls of MCP tools beside each other.

let run: string;

const service = ownOrganization({
  modelName: "claude-sonnet-4-5-20250929",
  script: (_, step) => {
    if (step > 1) return { text: "Done." };
    const calls = ["github__search_pull_requests", "linear__list_issues_of_project", "run_javascript"];
    return { calls: calls.map((name) => ({ name, arguments: { query: "is:merged merged:>2026-11-14", code: "1" } })) };
  },
});

beforeAll(async () => {
  run = await service.endedRun({ name: "Pull requests of the week and issues without an owner", input_text: "go" });
});

/* oxlint-disable unicorn/consistent-function-scoping -- only the function itself is sent to the page */
/** What goes beyond its box, by class, and the lines that the header's gauges take. Runs in the page. */
function measure() {
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const box = (element: Element) => element.getBoundingClientRect();
  const calls = all(".run-call");
  const isOver = (one: Element, other: Element) =>
    box(one).right > box(other).left + 1 &&
    box(one).left < box(other).right - 1 &&
    box(one).bottom > box(other).top + 1 &&
    box(one).top < box(other).bottom - 1;
  return {
    gaugeLines: new Set(all(".run-gauges > .gauge").map((gauge) => box(gauge).top)).size,
    rightEdges: ["facts", "actions"].map((name) =>
      Math.round(all(`.run-header .run-${name}`).map(box)[0]?.right ?? NaN),
    ),
    calls: calls.map((call) => call.querySelector<HTMLElement>(".mono")?.innerText),
    covered: calls.filter((call, index) => calls.some((other, at) => at > index && isOver(call, other))).length,
    headLine: all(".run-name").map(box)[0]?.height,
    outside: calls.filter((call) => [...call.children].some((part) => box(part).right > box(call).right + 1)).length,
  };
}
/* oxlint-enable unicorn/consistent-function-scoping */

test.each([1280, 1366, 1440])(
  "at %i px, the header has one line of gauges, and calls stay in their boxes",
  async (width) => {
    const view = await service.open(`runs/${run}`, { viewport: { width, height: 800 } });
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
