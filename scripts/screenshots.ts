// Takes the pictures of README.md, docs/console.md and docs/trials.md from the real page: `npm run screenshots`, or only those
// whose names begin as an argument does: `npm run screenshots -- trial`. Needs Chromium. The runs are real; a scripted model
// server stands in for a provider.
import { mkdirSync, rmSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../test/browser/chromium.ts";
import { type ConsoleOptions, openConsole } from "../test/browser/console-page.ts";
import { type ScriptedStep, scriptedModel } from "../test/browser/scripted-model.ts";
import { modelAt, newDataDir, type Service, startService } from "../test/integration/service.ts";
import { root } from "../test/integration/script.ts";
import { answerTo, inputs, invoiceClerk, reviewer, tryDraft } from "./trial-scene.ts";

const directory = `${root}docs/images`;
const [only = ""] = process.argv.slice(2);

const orders = `month,country,orders,revenue
2026-07,Germany,1204,48160.50
2026-07,Norway,310,15190.00
2026-08,Germany,1180,47554.00
2026-08,Norway,402,19698.00
2026-09,Germany,1342,54351.00
2026-09,Norway,377,18473.00
`;
const targets = `country,target\nGermany,145000\nNorway,55000\n`;

const draft = `# Revenue of the third quarter

| country | revenue | target | reached |
|---|---:|---:|---:|
| Germany | 150,065.50 | 145,000 | 103 % |
| Norway | 53,361.00 | 55,000 | 97 % |

Germany is above its target.
`;
const lastLine = "Germany is above its target.";
const conclusion = `Germany is above its target by 5,065.50. **Norway misses it by 1,639.00**: September fell by 6 %.`;

const sums = `# revenue per country
import csv

sums = {}
for row in csv.DictReader(open("orders-q3.csv")):
    sums[row["country"]] = sums.get(row["country"], 0) + float(row["revenue"])
`;

const call = (name: string, args: object): { name: string; arguments: object } => ({ name, arguments: args });

/** The steps of the analyst. One call fails, and the provider is busy once. */
const analysis: ScriptedStep[] = [
  { text: "I look at what there is.", calls: [call("list_files", {})], delay: 900 },
  {
    text: "Two tables: the orders and the targets. I read both.",
    calls: [call("read_file", { name: "orders-q3.csv" }), call("read_file", { name: "targets.csv" })],
    delay: 1_300,
  },
  {
    text: "The column is called revenue. I search for gaps.",
    calls: [call("search_files", { pattern: ",," })],
    delay: 700,
  },
  {
    text: "No gaps. Now the sums per country.",
    calls: [call("run_python", { code: `${sums}report(sums)` })],
    delay: 1_700,
  },
  {
    text: "There is no function report. I print the sums instead.",
    calls: [call("run_python", { code: `${sums}print(sums)` })],
    delay: 1_100,
  },
  {
    text: "I write the first draft.",
    calls: [call("write_file", { name: "report.md", content: draft })],
    delay: 2_100,
  },
  {
    text: "The draft needs a conclusion.",
    calls: [call("edit_file", { name: "report.md", old_text: lastLine, new_text: conclusion })],
    delay: 900,
  },
  { text: `${conclusion}\n\nThe table is in \`report.md\`.`, delay: 1_400 },
];

const busy = new Set<string>();
const forever = new Promise<void>(() => {});

function answer(input: string, step: number, instructions: string): ScriptedStep {
  const ofTrial = answerTo(input, step, instructions);
  if (ofTrial) return ofTrial;
  if (input.startsWith("Check the contract")) return { status: 404, text: "The model 'qwen3-235b-a22' does not exist" };
  if (input.startsWith("Sort"))
    return step === 1 ? { text: "I read the mails.", calls: [call("list_files", {})] } : { until: forever };
  if (input.startsWith("Translate"))
    return { text: "Rechnung 4711 vom 3. November: 1.204,50 EUR, zahlbar in 14 Tagen." };
  if (step === 4 && input.startsWith("Compare") && !busy.has(input)) {
    busy.add(input);
    return { status: 429, retryAfter: 3, text: "Rate limit reached for requests", delay: 400 };
  }
  const tokens = { input: 1_840 + step * 2_310, output: 140 + ((step * 97) % 210) };
  return { ...(analysis[step - 1] ?? { text: "Done." }), tokens };
}

/** Calls the management API. */
async function manage<Body>(service: Service, method: string, path: string, body?: object): Promise<Body> {
  const { origin, hash } = new URL(service.consoleUrl);
  const response = await fetch(`${origin}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${hash.slice(1)}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as Body;
}

interface Identified {
  id: string;
}

/** Creates the organization, its agents and runs. Resolves with the id of the run to show. */
async function createRuns(service: Service, baseUrl: string): Promise<string> {
  const { id: organization_id } = await manage<Identified>(service, "POST", "/organizations", { name: "Northwind" });
  const model = { provider: "openai-compatible", base_url: baseUrl, model: "qwen3-235b-a22b" };
  await manage(service, "PUT", `/organizations/${organization_id}/model`, model);
  const agent = async (name: string, instructions: string): Promise<string> => {
    const prices = { input: 3, output: 15 };
    const limits = { steps: 40, tokens: 500_000, seconds: 600, dollars: 0.4 };
    const definition = { name, instructions, prices, limits };
    return (await manage<Identified>(service, "POST", "/agents", { organization_id, definition })).id;
  };
  const analyst = await agent("Data analyst", "Answer questions about tables. Compute with run_python.");
  const checker = await agent("Contract checker", "Check contracts against the list of clauses.");
  const clerk = await agent("Mail clerk", "Sort mails by topic, and draft answers.");
  const start = async (
    agent_id: string,
    name: string,
    input?: string,
    files: Record<string, string> = {},
  ): Promise<string> => {
    const sent = Object.entries(files).map(([filename, text]) => ({
      filename,
      content_base64: Buffer.from(text).toString("base64"),
    }));
    return (
      await manage<Identified>(service, "POST", "/runs", {
        agent_id,
        name,
        ...(input && { input_text: input }),
        files: sent,
      })
    ).id;
  };
  const files = { "orders-q3.csv": orders, "targets.csv": targets };
  const translated = await start(clerk, "Invoice 4711 in German", "Translate the invoice to German.");
  const shown = await start(
    analyst,
    "Revenue of the third quarter",
    "Compare the revenue of each country with its target, and write report.md.",
    files,
  );
  const earlier = await start(analyst, "Revenue by country", "Compare the countries.", files);
  const failed = await start(checker, "Contract of Fabrikam", "Check the contract for missing clauses.");
  await start(checker, "Contract of Contoso");
  const stopped = await start(clerk, "Mails of last week", "Sort the mails of last week.");
  await start(clerk, "Mails of today", "Sort the mails of today by topic.", { "inbox.txt": "From: ada@example.com\n" });
  await manage(service, "POST", `/runs/${stopped}/stop`);
  for (const id of [translated, shown, earlier, failed]) await ended(service, id);
  return shown;
}

/** The agent of the trial, with the runs that its draft is tried on. */
async function createInvoices(service: Service, baseUrl: string): Promise<string> {
  const { id: organization_id } = await manage<Identified>(service, "POST", "/organizations", { name: "Invoices" });
  const model = { provider: "openai-compatible", base_url: baseUrl, model: "qwen3-235b-a22b" };
  await manage(service, "PUT", `/organizations/${organization_id}/model`, model);
  await manage(service, "POST", "/agents", { organization_id, definition: reviewer });
  const { id: agent_id } = await manage<Identified>(service, "POST", "/agents", {
    organization_id,
    definition: invoiceClerk,
  });
  for (const { name, text, file } of inputs) {
    const files = [{ filename: "invoice.csv", content_base64: Buffer.from(file).toString("base64") }];
    const { id } = await manage<Identified>(service, "POST", "/runs", { agent_id, name, input_text: text, files });
    await ended(service, id);
  }
  return agent_id;
}

async function ended(service: Service, id: string): Promise<void> {
  for (;;) {
    const { status } = await manage<{ status: string }>(service, "GET", `/runs/${id}`);
    if (status !== "running") return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function takeTrial(browser: Browser, service: Service, agentId: string): Promise<void> {
  const path = `agents/${agentId}?tab=edit`;
  await using view = await openConsole(browser, service.consoleUrl, { path, viewport: { width: 1400, height: 1000 } });
  await tryDraft(view.page, (name) => save(view.page, name));
}

/** Stores what the page shows. */
async function save(page: Page, name: string): Promise<void> {
  await page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))");
  await page.screenshot({ path: `${directory}/${name}.png` });
  console.log(`docs/images/${name}.png`);
}

interface Picture extends ConsoleOptions {
  name: string;
  /** Text that shows that the page is complete. */
  shows: string;
}

async function take(browser: Browser, service: Service, { name, shows, ...options }: Picture): Promise<void> {
  if (!name.startsWith(only)) return;
  await using view = await openConsole(browser, service.consoleUrl, {
    viewport: { width: 1400, height: 820 },
    ...options,
  });
  const page: Page = view.page;
  await page.getByRole("main").getByText(shows).and(page.locator(":visible")).first().waitFor();
  await save(page, name);
}

const model = await scriptedModel(answer);
const service = await startService(newDataDir(), modelAt(model.baseUrl));
const browser = await launchChromium();
try {
  if (only === "") rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const run = `runs/${await createRuns(service, model.baseUrl)}`;
  const phone = { width: 390, height: 844 };
  await take(browser, service, { name: "run", path: `${run}?at=1.4.1`, shows: "Arguments" });
  await take(browser, service, {
    name: "files",
    path: `${run}?at=1.7&tab=files&file=report.md`,
    shows: "103 %", // of the file itself
    colorScheme: "dark",
  });
  await take(browser, service, { name: "runs", path: "runs", shows: "Mails of today" });
  await take(browser, service, { name: "phone", path: run, shows: "I look at what there is.", viewport: phone });
  if ("trial".startsWith(only) || only.startsWith("trial")) {
    await takeTrial(browser, service, await createInvoices(service, model.baseUrl));
  }
} finally {
  await browser.close();
  await service[Symbol.asyncDispose]();
  await model.close();
}
