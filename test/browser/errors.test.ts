import { expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import { ownOrganization } from "./own-service.ts";

const service = ownOrganization({
  script: (input) => (input === "work" ? { text: "Done." } : { status: 400, text: input }),
});

test("failed runs are grouped by reason; a group opens and leads to its runs", async () => {
  const { page } = await service.open("errors");
  await page.getByText("No run failed in the last 7 days").waitFor();

  const inputs = ["work", "request 17 is not valid", "request 18 is not valid", "no such tool"];
  const ids: string[] = [];
  for (const input_text of inputs) {
    const id = await createRun(service, { name: `Run of ${input_text}`, input_text });
    await finished(service, id).catch(() => {});
    ids.push(id);
  }
  await page.getByRole("button", { name: "30 days" }).click();
  const rows = page.getByRole("table").getByRole("row");
  await page.getByRole("button", { name: /request 18/ }).waitFor();
  expect(await rows.count()).toBe(3);
  expect(await rows.nth(1).innerText()).toMatch(/^model_\w+\s+.*request 18 is not valid.*\s+2\s+1\s+/s);
  await page.getByRole("button", { name: /request 18/ }).press("Enter");
  const links = page.getByRole("table").getByRole("link");
  await expect.poll(() => links.allInnerTexts()).toEqual([`Run of ${inputs[2]}`, `Run of ${inputs[1]}`]);
  await links.first().click();
  await page.waitForURL(`**/console/runs/${ids[2]}`);
});
