import { beforeAll, expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

let runId: string;

const service = ownOrganization();

beforeAll(async () => {
  runId = await service.endedRun({ input_text: "go" });
});

test.each([
  ["runs", () => "runs"],
  ["a run", () => `runs/${runId}`],
  ["an agent", () => `agents/${service.templateId}`],
])("no heading of the shortcuts of %s stands alone at the foot of a column", async (_, path) => {
  const { page } = await service.open(path());
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.waitFor();
  for (const section of await dialog.locator(".shortcuts section").all()) {
    const heading = await section.getByRole("heading").boundingBox();
    const first = await section.locator("dl > div").first().boundingBox();
    expect(first?.x).toBe(heading?.x);
  }
});
