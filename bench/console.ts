import type { Browser, Page } from "playwright-core";
import { findChromium, launchChromium } from "../test/browser/chromium.ts";
import { openConsole } from "../test/browser/console-page.ts";
import { addLargeRun } from "../test/support/large-run.ts";
import { newDataDir, startServer } from "./servers.ts";
import { median, type Row } from "./table.ts";

const records = 5_000;
const framesPerRound = 240;

// Code of the page, as text: the benchmark has no types of a browser. The floor is an empty scroller in the same place,
// of the same size and with the same height to scroll. Both turn around at the end.
const pageScript = `
  globalThis.maxNodes = 0;
  globalThis.framesPerSecond = async (scroller, pixels) => {
    scroller.scrollTop = 2_000;
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    for (let frame = 0, step = pixels; frame < ${framesPerRound}; frame++) {
      await new Promise(requestAnimationFrame);
      const before = scroller.scrollTop;
      scroller.scrollTop += step;
      if (scroller.scrollTop === before) step = -step;
      if (frame % 20 === 0) maxNodes = Math.max(maxNodes, document.querySelectorAll("*").length);
    }
    return ${framesPerRound} * 1_000 / (performance.now() - start);
  };
  globalThis.timeline = document.querySelector(".run-scroller");
  globalThis.emptyScroller = () => {
    const { left, top, width, height } = timeline.getBoundingClientRect();
    const scroller = document.createElement("div");
    const content = document.createElement("div");
    const px = (value) => value + "px";
    Object.assign(scroller.style, {
      position: "fixed", overflow: "auto", left: px(left), top: px(top), width: px(width), height: px(height),
    });
    content.style.height = px(timeline.scrollHeight);
    scroller.append(content);
    document.body.append(scroller);
    return scroller;
  };`;

const scrollFloor = (pixels: number): string => `(async () => {
  const scroller = emptyScroller();
  timeline.style.visibility = "hidden";
  const rate = await framesPerSecond(scroller, ${pixels});
  timeline.style.visibility = "";
  scroller.remove();
  return rate;
})()`;

/** Why the console cannot be measured here, and how to install what is missing. Undefined: it can be. */
export function consoleProblem(): string | undefined {
  try {
    findChromium();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * The web application in Chromium: a run of 5,000 records, and the time from `npm start` to a usable page. Rejects if there
 * is no Chromium.
 */
export async function measureConsole({ rounds }: { rounds: number }): Promise<Row[]> {
  await using browser = await launchChromium();
  return [...(await measureLargeRun(browser, rounds)), ...(await measureFirstPage(browser, rounds))];
}

async function measureLargeRun(browser: Browser, rounds: number): Promise<Row[]> {
  const dataDir = newDataDir();
  const run = await addLargeRun(dataDir, records);
  const server = await startServer("service", dataDir, { npmStart: true });
  try {
    await using tab = await openConsole(browser, server.consoleUrl);
    const address = new URL(`/console/runs/${run.id}`, server.consoleUrl).href;
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++) times.push(await timeToFirstRows(tab.page, address));
    await tab.page.getByText("Loading the steps…").waitFor({ state: "detached" });
    await tab.page.evaluate(pageScript);
    const rates = [await scrollRate(tab.page, 40, rounds), await scrollRate(tab.page, 400, rounds)];
    const nodes = await tab.page.evaluate<number>("globalThis.maxNodes");
    return [
      ...rates,
      { name: "DOM nodes while scrolling, at most", unit: "", service: nodes, target: { atMost: 1_500 } },
      { name: "opening the run → its first rows", unit: "ms", service: median(times.slice(1)) },
    ];
  } finally {
    await server.end();
  }
}

async function timeToFirstRows(page: Page, address: string): Promise<number> {
  const start = performance.now();
  await page.goto(address, { waitUntil: "commit" });
  await page.getByRole("list", { name: "Timeline" }).getByRole("listitem").first().waitFor();
  return performance.now() - start;
}

/** Frames per second of the timeline and of an empty scroller, alternately. Round 0 warms up. */
async function scrollRate(page: Page, pixels: number, rounds: number): Promise<Row> {
  const rates = { floor: [] as number[], service: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const floor = await page.evaluate<number>(scrollFloor(pixels));
    const service = await page.evaluate<number>(`framesPerSecond(timeline, ${pixels})`);
    if (round === 0) continue;
    rates.floor.push(floor);
    rates.service.push(service);
  }
  const name = `frames while scrolling ${pixels} pixels a frame`;
  // 55 of the usual 60 frames per second.
  const target = { timesFloor: 1.09 };
  return { name, unit: "/s", floor: median(rates.floor), service: median(rates.service), target };
}

/** Milliseconds from `npm start` until the service listens (floor) and until its first page can be used. */
async function measureFirstPage(browser: Browser, rounds: number): Promise<Row[]> {
  const times = { listening: [] as number[], usable: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const server = await startServer("service", newDataDir(), { npmStart: true });
    try {
      times.listening.push(performance.now() - server.spawnedAt);
      await using _ = await openConsole(browser, server.consoleUrl);
      times.usable.push(performance.now() - server.spawnedAt);
    } finally {
      await server.end();
    }
  }
  const [floor, service] = [median(times.listening), median(times.usable)];
  return [{ name: "npm start → first page usable; floor: listening", unit: "ms", floor, service }];
}
