import { beforeEach, describe, expect, test } from "vitest";
import { addLargeRun, type LargeRun } from "../support/large-run.ts";
import type { ConsolePage } from "./console-page.ts";
import { ownService } from "./own-service.ts";

const maxNodes = 1_500;
const maxRows = 60;
/** Characters. Longer texts are loaded when the reader asks. */
const maxText = 65_536;

/** What the timeline shows at one moment. Pixels. */
interface Shown {
  nodes: number;
  rows: number;
  /** Positions of the first and the last row, from 1, of all. */
  first: number;
  last: number;
  all: number;
  /** The largest part of a row that is below another row. */
  overlap: number;
  /** The largest part of the visible rows' area that shows none, from top to bottom. */
  blank: number;
}

declare global {
  var timeline: {
    scroller(): Element;
    /** Resolves after frames were painted: before that, rows that are new in one are measured and moved. */
    frames(count: number): Promise<void>;
    shown(): Shown;
  };
}

/* oxlint-disable unicorn/consistent-function-scoping -- only the function itself is sent to the page */
/** Defines `timeline`. Runs in the page. */
function defineTimeline(): void {
  const inPage = (name: string): Element => document.querySelector(`.run-scroller${name}`) ?? document.body;
  const paint = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  globalThis.timeline = {
    scroller: () => inPage(""),
    async frames(count) {
      for (let frame = 0; frame < count; frame++) await paint();
    },
    shown() {
      const [view, list] = [inPage("").getBoundingClientRect(), inPage(" [role=list]").getBoundingClientRect()];
      const rows = [...inPage("").querySelectorAll("[role=listitem]")]
        .map((row) => ({
          position: Number(row.ariaPosInSet),
          all: Number(row.ariaSetSize),
          box: row.getBoundingClientRect(),
        }))
        .toSorted((a, b) => a.position - b.position);
      const [from, until] = [Math.max(view.top, list.top), Math.min(view.bottom, list.bottom)];
      let [overlap, blank, filled] = [0, 0, from];
      for (const [index, { box }] of rows.entries()) {
        const before = rows[index - 1];
        if (before) overlap = Math.max(overlap, before.box.bottom - box.top);
        if (box.bottom <= from || box.top >= until) continue;
        blank = Math.max(blank, box.top - filled);
        filled = Math.max(filled, box.bottom);
      }
      return {
        nodes: document.querySelectorAll("*").length,
        rows: rows.length,
        first: rows.at(0)?.position ?? 0,
        last: rows.at(-1)?.position ?? 0,
        all: rows.at(0)?.all ?? 0,
        overlap,
        blank: Math.max(blank, until - filled),
      };
    },
  };
}

/* oxlint-enable unicorn/consistent-function-scoping */

/** Scrolls by `pixels` in each of 60 frames, and stops for a moment after each 20th. Runs in the page. */
async function scroll(pixels: number): Promise<{ moving: Shown[]; still: Shown[] }> {
  const moving: Shown[] = [];
  const still: Shown[] = [];
  for (let frame = 1; frame <= 60; frame++) {
    timeline.scroller().scrollTop += pixels;
    await timeline.frames(1);
    moving.push(timeline.shown());
    if (frame % 20 !== 0) continue;
    await timeline.frames(10);
    still.push(timeline.shown());
  }
  return { moving, still };
}

let run: LargeRun;
let console: ConsolePage;
/** Lengths of the longest texts in the responses of the management API. */
let longestTexts: number[];

// The run is written to the data before the start.
const service = ownService({ prepare: async (dataDir) => (run = await addLargeRun(dataDir)) });

beforeEach(async () => {
  console = await service.open();
  longestTexts = [];
  console.page.on("response", (response) => {
    if (!response.url().includes("/manage/v1/") || !isJson(response.headers())) return;
    const read = response.json().then((body) => longestTexts.push(longestText(body)));
    read.catch(() => {}); // the page was left
  });
});

const isJson = (headers: Record<string, string>): boolean => headers["content-type"] === "application/json";

function longestText(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((longest, part) => Math.max(longest, longestText(part)), 0);
}

/** Opens the run. Resolves when all of it is loaded. `query`: of the address, such as `?at=2.3`. */
async function openRun(query = ""): Promise<void> {
  const lastPage = console.page.waitForResponse(
    async (response) =>
      new URL(response.url()).pathname.endsWith("/events") &&
      ((await response.json()) as { next: unknown }).next === null,
  );
  await console.page.goto(`${service.baseUrl}/console/runs/${run.id}${query}`);
  await console.page.getByRole("list", { name: "Timeline" }).getByRole("listitem").first().waitFor();
  await console.page.evaluate(defineTimeline);
  await lastPage; // with it, the page goes to the step that the inspector shows
  await expect.poll(async () => (await shown()).all).toBeGreaterThan(run.records / 5);
  await settled();
}

/** Resolves when the rows no longer change their place. */
async function settled(): Promise<void> {
  await console.page.evaluate(async () => {
    for (let before = "", same = 0; same < 20; await timeline.frames(1)) {
      const now = JSON.stringify(timeline.shown()) + timeline.scroller().scrollTop;
      same = now === before ? same + 1 : 0;
      before = now;
    }
  });
}

const shown = (): Promise<Shown> => console.page.evaluate(() => timeline.shown());

/** Scrolls to a part of the height: 0 is the start, 1 the end. */
async function scrollTo(part: number): Promise<void> {
  await console.page.evaluate((share) => {
    const scroller = timeline.scroller();
    scroller.scrollTop = scroller.scrollHeight * share;
  }, part);
  await settled();
}

function expectSmall({ nodes, rows }: Shown): void {
  expect(nodes).toBeLessThanOrEqual(maxNodes);
  expect(rows).toBeLessThanOrEqual(maxRows);
}

function expectWhole(place: Shown): void {
  expectSmall(place);
  expect(place.rows).toBeGreaterThan(0);
  expect(place.overlap).toBeLessThan(1);
  expect(place.blank).toBeLessThan(2);
}

describe("the page of a run of 5,000 records", () => {
  test("holds few nodes, and rows side by side, at the start, in the middle and at the end", async () => {
    await openRun();
    await scrollTo(0);
    const start = await shown();
    await scrollTo(0.5);
    const middle = await shown();
    await scrollTo(1);
    const end = await shown();
    for (const place of [start, middle, end]) expectWhole(place);
    expect(start.first).toBe(1);
    expect(middle.first).toBeGreaterThan(middle.all / 3);
    expect(end.last).toBe(end.all);
  });

  test.each([40, 400, -400, 4_000])("stays so while it is scrolled by %d pixels a frame", async (pixels) => {
    await openRun();
    await scrollTo(pixels > 0 ? 0 : 1);
    const before = await shown();
    const { moving, still } = await console.page.evaluate(scroll, pixels);
    for (const place of moving) expectSmall(place);
    for (const place of moving) expect(place.overlap).toBeLessThan(1);
    for (const place of still) expectWhole(place);
    expect(still.at(-1)?.first).not.toBe(before.first);
  });

  test("opens at the step of a link", async () => {
    await openRun("?at=3.150");
    const row = console.page.getByRole("listitem").and(console.page.locator("[aria-current=true]"));
    await row.waitFor();
    const [box, view] = [await row.boundingBox(), await console.page.locator(".run-scroller").boundingBox()];
    expect(box && view && box.y >= view.y && box.y + box.height <= view.y + view.height).toBe(true);
    expect(await row.textContent()).toContain("What step 150 does.");
    await console.page
      .getByRole("complementary", { name: "Inspector" })
      .getByRole("heading", { name: /step 150\b/ })
      .waitFor();
    expectWhole(await shown());
  });

  test("loads a text of 200 KB when the reader asks", async () => {
    await openRun(`?at=${run.largeResult}`);
    const inspector = console.page.getByRole("complementary", { name: "Inspector" });
    const all = inspector.getByRole("button", { name: /^Show all \(2\d\d/ });
    await all.waitFor();
    await scrollTo(1);
    expect(longestTexts.length).toBeGreaterThan(3);
    expect(Math.max(...longestTexts)).toBeLessThanOrEqual(maxText);
    expect(await console.page.content()).not.toContain(run.largeResultEnd);
    await all.click();
    await inspector.getByText(run.largeResultEnd).waitFor();
    expect(Math.max(...longestTexts)).toBeGreaterThan(200_000);
    expectSmall(await shown());
  });

  test("shows what happens without being loaded again", async () => {
    await openRun();
    await console.page.evaluate(() => void (document.body.dataset["same"] = "yes"));
    await scrollTo(1);
    const before = await shown();
    const { origin, hash } = new URL(service.consoleUrl);
    const response = await fetch(`${origin}/manage/v1/runs/${run.id}/input`, {
      method: "POST",
      headers: { authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" },
      body: JSON.stringify({ input_text: "And one more part." }),
    });
    expect(response.status).toBe(202);
    await console.page.getByRole("listitem").filter({ hasText: "And one more part." }).first().waitFor();
    await expect.poll(async () => (await shown()).all).toBeGreaterThanOrEqual(before.all + 2);
    await settled();
    expectWhole(await shown());
    expect(await console.page.evaluate(() => document.body.dataset["same"])).toBe("yes");
  });
});
