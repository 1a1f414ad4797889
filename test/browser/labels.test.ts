import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

const service = ownOrganization();

beforeAll(async () => {
  await create({ name: "Berlin", labels: { customer: "4711", year: "2026" }, input_text: "Say `yes`." });
  await create({ name: "Oslo", labels: { customer: "4712" } });
  await create({ name: "Rome" });
});

async function create(body: object): Promise<void> {
  const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
  const response = await fetch(`${service.baseUrl}/ext/v1/runs`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(await response.text());
}

test("the list is limited to a label: one of the listed runs, one that was typed, and one of an open run", async () => {
  const { page } = await service.open("runs");
  const names = page.getByRole("link", { name: /^(Berlin|Oslo|Rome)$/ });
  await expect.poll(() => names.count()).toBe(3);
  await page.getByRole("button", { name: "Label Any" }).click();
  await page.getByRole("button", { name: "customer=4712" }).click();
  await expect.poll(() => names.allInnerTexts()).toEqual(["Oslo"]);
  expect(new URL(page.url()).searchParams.get("label")).toBe("customer=4712");

  await page.getByRole("button", { name: "Label customer=4712" }).click();
  await page.getByLabel("Label as KEY=VALUE").fill("year=2026");
  await page.getByRole("button", { name: "year=2026 1", exact: true }).click();
  await expect.poll(() => names.allInnerTexts()).toEqual(["Berlin"]);

  await names.first().click();
  await page.getByRole("link", { name: "customer=4711" }).click();
  await expect.poll(() => names.allInnerTexts()).toEqual(["Berlin"]);
  await page.getByRole("button", { name: "Label customer=4711" }).click();
  await page.getByRole("button", { name: "Any label" }).click();
  await expect.poll(() => names.count()).toBe(3);
});

test("a run is saved as JSON and as Markdown, with all of its texts", async () => {
  const { page } = await service.open("runs");
  await page.getByRole("link", { name: "Berlin" }).click();
  await page.getByRole("main").getByText("Finished", { exact: true }).first().waitFor();
  const saved = async (format: string): Promise<{ name: string; text: string }> => {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: `Export as ${format}` }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  };
  const json = await saved("JSON");
  expect(json.name).toMatch(/^run-[0-9a-f-]{36}\.json$/);
  const { run, events } = JSON.parse(json.text) as { run: { name: string }; events: { type: string; text: string }[] };
  expect([run.name, events[0]?.text, events.at(-1)?.type]).toEqual(["Berlin", "Say `yes`.", "output"]);
  const markdown = await saved("Markdown");
  expect(markdown.name).toMatch(/\.md$/);
  expect(markdown.text).toMatch(/^# Berlin\n\n- Run: [0-9a-f-]{36}\n- Status: finished\n/);
  expect(markdown.text).toContain("### Input\n\n> Say `yes`.\n");
  expect(markdown.text).toContain(`### Output\n\n> ${events.at(-1)?.text.split("\n")[0]}`);
});
