import { test } from "vitest";
import { finished } from "../integration/service.ts";
import { ownOrganization } from "./own-service.ts";

// What programs chose: the limits of a run, and the agents of a key.

const service = ownOrganization({
  script: () => ({ text: "All done." }),
});

test("the page shows what the create of a run chose", async () => {
  const limits = { turn: { steps: 3 }, run: { tokens: 900_000 } };
  const body = { agent_id: service.templateId, name: "Cheap", input_text: "Go.", limits };
  const { id } = await service.call<{ id: string }>("POST", "/runs", body);
  await finished(service, id);
  const view = await service.open(`runs/${id}`);
  await view.page.getByRole("tab", { name: "Cost" }).click();
  await view.page.getByText("The create of the run chose at most 3 steps (turn), 900000 tokens (run).").waitFor();
});

test("a key of several agents says so on the page of each", async () => {
  const first = await service.call<{ organization_id: string; definition: object }>(
    "GET",
    `/agents/${service.templateId}`,
  );
  const { organization_id, definition } = first;
  const { id } = await service.call<{ id: string }>("POST", "/agents", { organization_id, definition });
  await service.call("POST", `/agents/${service.templateId}/keys`, { name: "both", more_agent_ids: [id] });
  for (const agent of [service.templateId, id]) {
    const view = await service.open(`agents/${agent}?tab=keys`);
    const row = view.page.getByRole("row", { name: /both/ });
    await row.getByText("also for another agent").waitFor();
    await row.getByRole("button", { name: "Disable…" }).click();
    await view.page.getByText("also those for another agent").waitFor();
  }
});
