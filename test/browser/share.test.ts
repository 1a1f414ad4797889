import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRun, finished, modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import { launchChromium } from "./chromium.ts";
import { noMisdeeds, openConsole } from "./console-page.ts";
import { callOf } from "./manage-call.ts";
import { scriptedModel } from "./scripted-model.ts";

// The link of one run: what it shows to somebody who is not signed in, and how it ends.

let browser: Browser;
let service: Service;
let model: Awaited<ReturnType<typeof scriptedModel>>;
let run: string;

beforeAll(async () => {
  model = await scriptedModel((_, step) =>
    step === 1
      ? {
          text: "Writes.",
          calls: [{ name: "write_file", arguments: { name: "report.md", content: "# Shared report\n" } }],
        }
      : { text: "All done." },
  );
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  run = await createRun(service, { name: "Quarterly report", input_text: "Write it." });
  await finished(service, run);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await model?.close();
});

/** Opens an address in a browser that knows nothing of the console. */
async function visit(url: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  await page.goto(url);
  return { page, sent, [Symbol.asyncDispose]: () => context.close() };
}

test("an operator creates a link, which shows the run without signing in until it is revoked", async () => {
  await using view = await openConsole(browser, service.consoleUrl, { path: `runs/${run}` });
  const { page, misdeeds } = view;
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: "Share this run" });
  await dialog.getByLabel("Valid for").selectOption({ label: "1 day" });
  await dialog.getByRole("button", { name: "Create link" }).click();
  const link = await dialog.locator("pre").innerText();
  expect(link).toMatch(/\/console\/share#rt_[0-9a-f]{32}[0-9A-Za-z]{49}$/);
  await dialog.getByText(/valid until/).waitFor();

  await using visitor = await visit(link);
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
  expect(misdeeds).toEqual(noMisdeeds);
});

test("a link shows what its run does while it works, and a broken link says so", async () => {
  const call = callOf(service);
  const { id } = await call("POST", "/runs", { agent_id: service.templateId, name: "Live one" });
  const { token } = (await call("POST", `/runs/${id}/tokens`, {})) as unknown as { token: string };
  const address = `${service.baseUrl}/console/share#${token}`;
  await using visitor = await visit(address);
  await visitor.page.getByRole("heading", { level: 1, name: "Live one" }).waitFor();
  await call("POST", `/runs/${id}/input`, { input_text: "Write it, please." });
  await visitor.page.getByText("Write it, please.").first().waitFor();
  await visitor.page.getByText("All done.").first().waitFor();
  await using broken = await visit(address.slice(0, -5));
  await broken.page.getByText("The link is not complete.").waitFor();
});
