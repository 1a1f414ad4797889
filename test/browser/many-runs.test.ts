import { beforeAll, expect, test } from "vitest";
import { ownService } from "./own-service.ts";

// One run that is older than the 1,000 that a search compares at a time.

// So many runs are a service of their own: they work on while the next file begins.
const service = ownService();

beforeAll(async () => {
  await service.call("POST", "/runs", { agent_id: service.templateId, name: "Revenue by region, Q3" });
  let left = 1_020;
  const create = async (): Promise<void> => {
    while (left-- > 0) await service.call("POST", "/runs", { agent_id: service.templateId, name: `Ticket ${left}` });
  };
  await Promise.all([create(), create(), create()]);
});

test("the palette finds a run behind 1,000 newer ones", async () => {
  const { page } = await service.open("agents");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Revenue");
  await page.getByRole("option", { name: /^Revenue by region, Q3/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Revenue by region, Q3" }).waitFor();
});

test("the list shows no counts beside a run that its counts do not reach", async () => {
  const { page } = await service.open("runs?q=Revenue");
  await page.getByRole("link", { name: "Revenue by region, Q3" }).waitFor();
  const tabs = page.getByRole("navigation", { name: "Status" });
  await tabs.getByRole("link", { name: "All …" }).waitFor();
  expect(await tabs.innerText()).not.toContain("0");
  await page.getByText(/^1 shown/).waitFor();
});
