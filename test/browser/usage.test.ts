import { beforeAll, expect, test } from "vitest";
import { createRun, finished } from "../integration/service.ts";
import { ownOrganization } from "./own-service.ts";

const service = ownOrganization({
  script: (input) => ({ text: "Done.", tokens: { input: Number(input), output: 0 } }),
});

beforeAll(async () => {
  const { organization_id } = await service.call("GET", `/agents/${service.templateId}`);
  // Six agents with prices, and the starter agent without, which uses most.
  for (let index = 1; index <= 6; index++) {
    const definition = { name: `Agent ${index}`, instructions: "Work.", prices: { input: 1_000, output: 0 } };
    const { id } = await service.call("POST", "/agents", { organization_id, definition });
    const { key: apiKey } = await service.call("POST", `/agents/${id}/keys`, {});
    const caller = { ...service, apiKey, templateId: id };
    await finished(caller, await createRun(caller, { input_text: String(index * 1_000) }));
  }
  await service.endedRun({ input_text: "2000000" });
});

test("the largest consumer is first although it has no prices, and its cost is never $0", async () => {
  const { page } = await service.open("usage");
  const rows = page.getByRole("table").first().getByRole("row");
  await page.getByRole("link", { name: "Starter agent" }).waitFor();
  expect(await rows.nth(1).innerText()).toMatch(
    /Starter agent\s+1\s+0\s+2\.0 M\s+\S+ %\s+not known\s+not known\s+99 %/,
  );
  await page.getByText("Cost, where prices are known").waitFor();
  await page.getByText("2.0 M tokens of 1 agent have no price").waitFor();
});

test("Other opens: each of its agents has a row, in the same order", async () => {
  const { page } = await service.open("usage?rank=dollars");
  const others = page.getByRole("button", { name: "Other (3 agents)" });
  await others.click();
  const names = page.getByRole("table").first().getByRole("rowheader");
  expect((await names.allInnerTexts()).join(", ")).toBe(
    "Agent 6, Agent 5, Agent 4, Agent 3, Other (3 agents), Agent 2, Agent 1, Starter agent",
  );
  expect(await page.getByRole("link", { name: "Set prices" }).getAttribute("href")).toBe(
    `/console/agents/${service.templateId}?tab=edit`,
  );
  await others.click();
  expect(await names.count()).toBe(5);
});
