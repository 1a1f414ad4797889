import { beforeAll, describe, expect, test } from "vitest";
import { type ConsolePage, noMisdeeds } from "./console-page.ts";
import { ownOrganization } from "./own-service.ts";
import { payloads } from "./payloads.ts";

/** The file of a payload, as the model writes it. */
const fileOf = ({ name, file = `${name}.md` }: (typeof payloads)[number]): string => file;

let runId: string;
let page: ConsolePage;

// Step N says payload N, writes it to a file, and reads the file. The last step says all short ones.
const service = ownOrganization({
  script: (_, step) => {
    const payload = payloads[step - 1];
    if (!payload) return { text: payloads.map(({ text }) => text.slice(0, 2_000)).join("\n\n") };
    const name = fileOf(payload);
    return {
      text: payload.text.slice(0, 100_000),
      calls: [
        { name: "write_file", arguments: { name, content: payload.text } },
        { name: "read_file", arguments: { name } },
        { name: `unknown_${payload.name}`, arguments: { [payload.text.slice(0, 200)]: payload.text.slice(0, 500) } },
      ],
    };
  },
});

beforeAll(async () => {
  const files = payloads.slice(0, 9).map((payload) => ({
    filename: fileOf(payload),
    content_base64: Buffer.from(payload.text).toString("base64"),
  }));
  const input_text = payloads.map(({ text }) => text.slice(0, 500)).join("\n");
  runId = await service.endedRun({ name: `<img src=x onerror=alert(1)>\u202Egpj.exe`, input_text, files });
  page = await service.open("", { isJudged: true });
}, 120_000);

/** What the page did wrong, and whether a script of a payload ran. */
async function judged(): Promise<object> {
  const { misdeeds } = page;
  const pwned: unknown = await page.page.evaluate(() => [Reflect.get(window, "pwned"), Reflect.get({}, "pwned")]);
  const intruders = await page.page
    .locator(
      "#app :is(script, object, embed, form, base, meta, link, style, math, [onerror], [onload], [onclick], img[src^=http])",
    )
    .count();
  return { ...misdeeds, pwned, intruders, origin: new URL(page.page.url()).origin };
}

const innocent = (): object => ({
  ...noMisdeeds,
  pwned: [undefined, undefined],
  intruders: 0,
  origin: new URL(service.baseUrl).origin,
});

test("at least 30 payloads are tried, and the run has a step for each", async () => {
  expect(payloads.length).toBeGreaterThanOrEqual(30);
  await page.goto(`runs/${runId}?at=1.${payloads.length}`);
  await page.page.getByRole("complementary", { name: "Inspector" }).waitFor();
  expect(await judged()).toEqual(innocent());
});

test("the list of runs shows a hostile name as text", async () => {
  await page.goto("runs?since=all");
  await page.page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
  expect(await judged()).toEqual(innocent());
});

describe("in the inspector", () => {
  test.each(payloads.map(({ name }, index) => [name, index + 1] as const))("%s is shown as text", async (_, step) => {
    const inspector = page.page.getByRole("complementary", { name: "Inspector" });
    for (const call of [1, 2, 3]) {
      await page.goto(`runs/${runId}?at=1.${step}.${call}`);
      await inspector.getByRole("heading", { name: new RegExp(`^Step ${step}\\b`) }).waitFor();
      for (const view of ["Markdown", "JSON", "Text"]) {
        for (const button of await inspector.getByRole("button", { name: view, exact: true }).all())
          await button.click();
      }
    }
    expect(await judged()).toEqual(innocent());
  });
});

test("the transcript shows all of them as Markdown", async () => {
  await page.goto(`runs/${runId}?view=messages`);
  await page.page.getByText("Output").first().waitFor();
  expect(await judged()).toEqual(innocent());
});

describe("as a file", () => {
  // A preview in a frame is refused scripts and styles by both the sandbox and the policy; the browser reports that.
  const files = [...new Set(payloads.map(fileOf))];

  test.each(files)("%s runs nothing in its preview", async (name) => {
    await page.goto(`runs/${runId}?tab=files`);
    const inspector = page.page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText(name, { exact: true }).first().click();
    const shown = inspector
      .locator(".run-file")
      .filter({ has: page.page.getByLabel(`Download ${name}`, { exact: true }) });
    await shown.locator("code, .run-prose, .run-picture img, .run-empty:not(:text('Loading…'))").first().waitFor();
    const framed = shown.getByRole("button", { name: "Frame without scripts" });
    if ((await framed.count()) > 0) {
      await framed.click();
      expect(await shown.locator("iframe").getAttribute("sandbox")).toBe("");
      await shown.locator("iframe").contentFrame().locator(":root").waitFor({ state: "attached" });
    }
    // A request that the policy blocks is known before it is known to be blocked.
    await expect.poll(judged).toEqual({ ...innocent(), violations: expect.any(Array) as string[] });
  });
});
