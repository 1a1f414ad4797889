import { beforeAll, expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import { ownOrganization } from "./own-service.ts";

// Search in recorded texts.

let ids: string[];

const hostile = "<img src=x onerror=\"fetch('//evil.test')\"> zebra";

const service = ownOrganization({
  script: (input, step) => {
    if (input === "fail") return { status: 400, text: "The quagga field is not supported." };
    if (step > 1) return { text: input === "go" ? "All zebras are counted." : hostile };
    return {
      text: "I look.",
      calls: [
        { name: "read_file", arguments: { name: "okapi list.md" } },
        { name: "list_files", arguments: {} },
      ],
    };
  },
});

beforeAll(async () => {
  ids = [];
  for (const input_text of ["go", "attack", "fail"]) {
    ids.push(await createRun(service, { name: `Run ${input_text}`, input_text }));
    await finished(service, ids.at(-1) ?? "").catch(() => {});
  }
});

test("texts are found from the list of runs, with excerpts that lead to their step, and show what they are", async () => {
  const { page } = await service.open("runs");
  await page.getByRole("searchbox").fill("Zebra");
  await page.getByText("No run matches").waitFor();
  await page.getByRole("link", { name: "Search in all recorded texts" }).click();
  await page.getByText("2 runs match. Searched all 3 runs of the last 90 days.").waitFor();
  const headings = page.locator(".found-runs h2 a");
  expect(await headings.allInnerTexts()).toEqual(["Run attack", "Run go"]);
  expect(await page.locator(".found-runs mark").allInnerTexts()).toEqual(["zebra", "zebras"]);
  expect(await page.locator(".found-runs img").count()).toBe(0);
  await page.getByText(hostile).waitFor();

  const search = page.getByRole("searchbox", { name: "Words to search for" });
  await page.locator("h1").click();
  await page.keyboard.press("/");
  await page.keyboard.type("okapi");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/console/texts?q=okapi");
  await expect.poll(() => headings.count()).toBe(2);
  const call = page.locator(".found-runs li li a", { hasText: "Call read_file" }).last();
  expect(await call.innerText()).toContain("name: okapi list.md");
  await call.press("Enter");
  await page.waitForURL(`**/console/runs/${ids[0]}?at=1.1.1`);
  await page.getByText("okapi list.md").first().waitFor();

  await page.goBack();
  await expect.poll(() => search.inputValue()).toBe("okapi");
  await search.fill("quagga");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText("1 run matches.").waitFor();
  expect(await page.locator(".found-runs .place").first().innerText()).toMatch(/^Error/);
  await search.fill("…");
  await search.press("Enter");
  await page.getByRole("alert").getByText("q has no word").waitFor();
  await search.fill("nowhere");
  await search.press("Enter");
  await page.getByText("No run matches.").waitFor();
});

test.each([1280, 1366, 1440, 390])("what is found pushes nothing off the page at %d px", async (width) => {
  const view = await service.open("texts?q=zebra", { viewport: { width, height: 800 } });
  await view.page.getByText("2 runs match.").waitFor();
  expect(await view.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});
