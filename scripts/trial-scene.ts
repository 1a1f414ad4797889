import type { Page } from "playwright-core";
import type { ScriptedStep } from "../test/browser/scripted-model.ts";

// A trial for the pictures of docs/trials.md: a draft that checks invoices in fewer steps, with what a model would say.

interface Invoice {
  customer: string;
  sum: string;
  due: string;
}

const invoices: Record<string, Invoice> = {
  "2041": { customer: "Contoso", sum: "1,204.50", due: "14 November" },
  "2042": { customer: "Fabrikam", sum: "310.00", due: "17 November" },
  "2043": { customer: "Northwind", sum: "1,180.00", due: "18 November" },
  "2044": { customer: "Tailspin", sum: "2,465.20", due: "21 November" },
  "2045": { customer: "Wingtip", sum: "780.00", due: "24 November" },
  "2046": { customer: "Litware", sum: "95.80", due: "25 November" },
  "2047": { customer: "Adatum", sum: "640.00", due: "28 November" },
  "2048": { customer: "Proseware", sum: "1,912.75", due: "1 December" },
};

/** Invoices whose check the draft changes: it adds when they are due. */
const dated = new Set(["2041", "2042", "2045"]);
/** The sum of this one is wrong, and the draft does not see it. */
const wrong = "2043";
/** The draft asks for a page that the record does not have. */
const foreign = "2047";

export const inputs: { name: string; text: string; file: string }[] = Object.entries(invoices).map(
  ([number, { customer, sum, due }]) => ({
    name: `Invoice ${number} of ${customer}`,
    text: `Check invoice ${number} of ${customer}.`,
    file: `item,amount\nWork,${sum}\nTotal,${number === wrong ? "1,280.00" : sum}\nDue,${due}\n`,
  }),
);

export const invoiceClerk = {
  name: "Invoice clerk",
  instructions: "Check invoices: list the files, read invoice.csv, add up the items, and write check.md.",
  tools: ["list_files", "read_file", "write_file", "web_fetch"],
  prices: { input: 3, output: 15 },
  limits: { steps: 20, tokens: 200_000, seconds: 300 },
};

const draftInstructions =
  "Check invoices: read invoice.csv, add up the items, and write check.md. Say when the invoice is due.";

export const reviewer = {
  ...invoiceClerk,
  name: "Reviewer",
  instructions: "Prefer the check that finds mistakes, and then the one that says when the invoice is due.",
  tools: [],
};

/** The answer of the clerk, of its draft or of the reviewer. Undefined: the input is of another scene. */
export function answerTo(input: string, step: number, instructions: string): ScriptedStep | undefined {
  if (instructions.startsWith("Prefer")) return vote(input);
  const [, number = ""] = /^Check invoice (\d+)/.exec(input) ?? [];
  const invoice = invoices[number];
  if (!invoice) return undefined;
  const isDraft = instructions.includes("Say when");
  const said = conclusion(number, invoice, isDraft);
  const calls: ScriptedStep["calls"] = [
    ...(isDraft ? [] : [{ name: "list_files", arguments: {} }]),
    { name: "read_file", arguments: { name: "invoice.csv" } },
    ...(isDraft && number === foreign
      ? [{ name: "web_fetch", arguments: { url: "https://rates.example.com/eur" } }]
      : []),
    { name: "write_file", arguments: { name: "check.md", content: `# Invoice ${number}\n\n${said}\n` } },
  ];
  const next = calls[step - 1];
  const tokens = { input: 1_240 + 610 * step, output: 90 + 35 * step };
  return next ? { calls: [next], tokens } : { text: said, tokens };
}

function conclusion(number: string, { sum, due }: Invoice, isDraft: boolean): string {
  if (number === wrong && !isDraft)
    return `Invoice ${number} is wrong: the items are ${sum} EUR, and the total is 1,280.00 EUR.`;
  const correct = `Invoice ${number} is correct: ${number === wrong ? "1,280.00" : sum} EUR.`;
  return isDraft && (dated.has(number) || number === wrong) ? `${correct} It is due on ${due}.` : correct;
}

function points(text: string): number {
  return text.includes("wrong") ? 2 : text.includes("due") ? 1 : 0;
}

/** The reviewer prefers a mistake that is found, and then a date. */
function vote(question: string): ScriptedStep {
  const [, a = ""] = /--- ANSWER A \w+\n([^\n]*)/.exec(question) ?? [];
  const [, b = ""] = /--- ANSWER B \w+\n([^\n]*)/.exec(question) ?? [];
  const better = points(a) > points(b) ? "A" : "B";
  const reason =
    Math.max(points(a), points(b)) === 2
      ? `Answer ${better} finds that the total is not the sum of the items.`
      : `Both have the sum, and answer ${better} says when the invoice is due.`;
  return { text: JSON.stringify({ reason, better }), tokens: { input: 480, output: 40 } };
}

const width = 1400;

/** Tries the draft on the page of the clerk's editor. `save` takes a picture by its name. */
export async function tryDraft(page: Page, save: (name: string) => Promise<void>): Promise<void> {
  await page.getByLabel("Instructions", { exact: true }).fill(draftInstructions);
  await page.getByRole("button", { name: "Try on recent runs…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Recent turns").fill("8");
  await dialog.getByLabel("Judge").selectOption({ label: reviewer.name });
  await dialog.getByRole("button", { name: "Estimate" }).click();
  await dialog.getByText("8 cases", { exact: true }).waitFor();
  await page.setViewportSize({ width, height: 1170 }); // the whole dialog
  await save("trial-dialog");
  await page.setViewportSize({ width, height: 1000 });
  await dialog.getByRole("button", { name: "Start trial" }).click();
  await page.locator(".page-head").getByText("Finished").waitFor();
  await page.mouse.move(0, 0);
  await save("trial");
  await page.locator(".cases tbody tr").filter({ hasText: "Worse" }).getByRole("link").first().click();
  await page.getByRole("region", { name: "Judge" }).waitFor();
  await save("trial-case");
}
