import { beforeAll, expect, test } from "vitest";
import { ownOrganization } from "./own-service.ts";

// The link of one run: what it shows to somebody who is not signed in, and how it ends.

let run: string;

const service = ownOrganization({
  script: (_, step) =>
    step === 1
      ? {
          text: "Writes.",
          calls: [{ name: "write_file", arguments: { name: "report.md", content: "# Shared report\n" } }],
        }
      : { text: "All done." },
});

beforeAll(async () => {
  run = await service.endedRun({ name: "Quarterly report", input_text: "Write it." });
});

/** Opens an address in a browser that knows nothing of the console. */
async function visit(url: string) {
  const page = await service.newPage({ viewport: { width: 1280, height: 800 } });
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  await page.goto(url);
  return { page, sent };
}

test("an operator creates a link, which shows the run without signing in until it is revoked", async () => {
  const { page } = await service.open(`runs/${run}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this run" });
  await dialog.getByLabel("Valid for").selectOption({ label: "1 day" });
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = await dialog.locator("pre").innerText();
  expect(link).toMatch(/\/console\/share#rt_[0-9a-f]{32}[0-9A-Za-z]{49}$/);
  await dialog.getByText(/valid until/).waitFor();

  const visitor = await visit(link);
  await visitor.page.getByRole("heading", { level: 1, name: "Quarterly report" }).waitFor();
  await visitor.page.getByText("Shared run, only to read").waitFor();
  await visitor.page.getByText("All done.").first().waitFor();
  await visitor.page.getByText("write_file").first().click();
  await visitor.page.getByRole("tab", { name: /Files/ }).click();
  await visitor.page.getByRole("heading", { name: "Shared report" }).waitFor();
  expect(new URL(visitor.page.url()).hash).toBe(new URL(link).hash);
  for (const name of ["Send input", "Run again…", "Stop", "More actions", "Show HTTP request", "Show request"]) {
    expect(await visitor.page.getByRole("button", { name }).count()).toBe(0);
  }
  expect(await visitor.page.getByRole("link", { name: "Runs", exact: true }).count()).toBe(0);
  expect(visitor.sent.filter((url) => url.includes("/manage/") || url.includes("rt_"))).toEqual([]);
  await visitor.page.reload();
  await visitor.page.getByText("All done.").first().waitFor();

  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText(/valid until/).waitFor({ state: "detached" });
  await visitor.page.reload();
  await visitor.page.getByText("This link shows no run").waitFor();
});

test("a link shows what its run does while it works, and a broken link says so", async () => {
  const { id } = await service.call("POST", "/runs", { agent_id: service.templateId, name: "Live one" });
  const { token } = await service.call<{ token: string }>("POST", `/runs/${id}/tokens`, {});
  const address = `${service.baseUrl}/console/share#${token}`;
  const visitor = await visit(address);
  await visitor.page.getByRole("heading", { level: 1, name: "Live one" }).waitFor();
  await service.call("POST", `/runs/${id}/input`, { input_text: "Write it, please." });
  await visitor.page.getByText("Write it, please.").first().waitFor();
  await visitor.page.getByText("All done.").first().waitFor();
  const broken = await visit(address.slice(0, -5));
  await broken.page.getByText("The link is not complete.").waitFor();
});
