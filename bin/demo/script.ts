/** A tool call of the scripted model. */
export interface ScriptedCall {
  name: string;
  input: object;
}

export const task =
  "These are a week's orders of three shops. Write report.md: revenue per shop, all refunds, and check the result.";

/** The files of the run. */
export const sampleOrders: Record<string, string> = {
  "north.csv": "order,amount,kind\n101,420.00,sale\n102,89.90,sale\n103,-89.90,refund\n104,1310.50,sale\n",
  "south.csv": "order,amount,kind\n201,75.25,sale\n202,640.00,sale\n203,18.40,sale\n",
  "west.csv": "order,amount,kind\n301,999.00,sale\n302,-49.00,refund\n303,250.10,sale\n",
};

const shops = Object.keys(sampleOrders);
const rowsOf = `const rows = ${JSON.stringify(shops)}.flatMap((shop) => parseCsv(readFile(shop)).map((row) => ({ shop, ...row })));`;

const totals = `${rowsOf}
const sums = {};
for (const { shop, amount } of rows) sums[shop] = (sums[shop] ?? 0) + Number(amount);
const lines = Object.entries(sums).map(([shop, sum]) => shop.replace(".csv", "") + "," + sum.toFixed(2));
writeFile("totals.csv", "shop,revenue\\n" + lines.join("\\n") + "\\n");
lines.length + " shops"`;

const refunds = `${rowsOf}
const lines = rows.filter(({ kind }) => kind === "refund").map(({ shop, order, amount }) => shop.replace(".csv", "") + "," + order + "," + amount);
writeFile("refunds.csv", "shop,order,amount\\n" + lines.join("\\n") + "\\n");
lines.length + " refunds"`;

/** Replaces a mark in report.md by the rows of a CSV file. */
const fillIn = (mark: string, file: string): string => `const rows = parseCsv(readFile("${file}"));
const list = rows.map((row) => "- " + Object.values(row).join("  ")).join("\\n");
writeFile("report.md", readFile("report.md").replace("${mark}", list));
rows.length + " rows"`;

const template = "# Orders of three shops\n\n## Revenue\n\n(revenue)\n\n## Refunds\n\n(refunds)\n";

/** The tool calls of each step. The step after the last one is the answer. */
const steps: ScriptedCall[][] = [
  [{ name: "list_files", input: {} }],
  shops.map((name) => ({ name: "read_file", input: { name } })),
  [{ name: "run_javascript", input: { code: totals } }],
  [{ name: "read_file", input: { name: "totals.csv" } }],
  [{ name: "search_files", input: { pattern: "refund" } }],
  [{ name: "run_javascript", input: { code: refunds } }],
  [{ name: "write_file", input: { name: "report.md", content: template } }],
  [{ name: "run_javascript", input: { code: fillIn("(revenue)", "totals.csv") } }],
  [{ name: "run_javascript", input: { code: fillIn("(refunds)", "refunds.csv") } }],
  [{ name: "search_files", input: { pattern: String.raw`\((revenue|refunds)\)` } }],
  [{ name: "read_file", input: { name: "report.md" } }],
];

/** Steps of the run: those with tools, and the answer. */
export const stepCount: number = steps.length + 1;

/** The answer of a step. It depends on the conversation only, so that it is the same after a restart. */
export function scriptedAnswer(messages: { content: unknown }[], step: number) {
  const calls = steps[step - 1];
  return calls ? { calls } : { text: answerOf(String(messages.at(-1)?.content)) };
}

/** The answer: the report as the last tool result has it. */
function answerOf(lastResult: string): string {
  const start = lastResult.indexOf("# ");
  return start < 0 ? lastResult : lastResult.slice(start);
}
