/** A file of a sample. The contents are invented, and the same each time. */
interface SampleFile {
  name: string;
  text: string;
}

/** Whole numbers from 0 to below `limit` that look random: a linear congruential generator (Numerical Recipes). */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const regions = ["Benelux", "DACH", "France", "Iberia", "Nordics", "UK & Ireland"];
const day = 86_400_000;

/** Orders of two quarters, and the names of their regions. The Nordics sell less in the third, Benelux more. */
export function tables(): SampleFile[] {
  const next = numbers(7);
  const start = Date.UTC(2026, 3, 1);
  const orders = Array.from({ length: 480 }, (_, index) => {
    const at = Math.floor((index / 480) * 183);
    const region = next(regions.length);
    const change = at < 91 ? 1 : region === 4 ? 0.7 : region === 0 ? 1.3 : 1.04;
    const amount = ((2_000 + next(900_000)) * change) / 100;
    const date = new Date(start + at * day).toISOString().slice(0, 10);
    return `${10_001 + index},${date},R${region + 1},${amount.toFixed(2)}`;
  });
  const names = regions.map((name, index) => `R${index + 1},${name}`);
  return [
    { name: "orders.csv", text: lines(["order,date,region,amount_eur", ...orders]) },
    { name: "regions.csv", text: lines(["region,name", ...names]) },
  ];
}

const clauses = [
  ["Delivery", "The supplier delivers within 14 days of the order. Part deliveries are accepted."],
  ["Price", "Prices are fixed for 12 months. They may rise by at most 3 % a year after that."],
  ["Payment", "Invoices are due 30 days after receipt. Late payment bears interest of 5 % a year."],
  ["Quality", "The customer inspects goods within 10 days. Defects found later are reported without delay."],
  ["Liability", "The supplier is liable for damage up to the value of the order."],
  ["Audit", "The customer may audit the supplier once a year, with 20 days' notice."],
  ["Term", "The contract runs for 24 months. Either side may end it with three months' notice."],
  ["Law", "The law of the Netherlands applies. Courts in Rotterdam have jurisdiction."],
];
const changed: Record<string, string> = {
  Delivery: "The supplier delivers within 10 days of the order. Part deliveries need the customer's consent.",
  Payment: "Invoices are due 60 days after receipt. Late payment bears interest of 5 % a year.",
  Liability: "The supplier is liable for damage up to twice the value of the order, and for delay.",
  Term: "The contract runs for 24 months and is extended by 12 unless a side ends it with six months' notice.",
};

export function contracts(): SampleFile[] {
  return [2025, 2026].map((year) => {
    const body = clauses.flatMap(([title = "", text = ""], index) => [
      `## ${index + 1}. ${title}`,
      "",
      year === 2026 ? (changed[title] ?? text) : text,
      "",
    ]);
    return { name: `contract-${year}.md`, text: lines([`# Supply contract ${year}`, "", ...body].slice(0, -1)) };
  });
}

const logLines = 4_000;
/** Where the cause begins: a batch is stored, its answer times out, and it is sent again. */
const causeAt = 2_870;

/** One night of an import. A batch that was sent twice ends it. */
export function log(): SampleFile[] {
  const next = numbers(11);
  let at = Date.UTC(2026, 10, 21, 1);
  const text = Array.from({ length: logLines }, (_, index) => {
    at += 400 + next(2_200);
    const line = causeAt <= index && index < causeAt + cause.length ? cause[index - causeAt] : routine(index, next);
    return `${new Date(at).toISOString()} ${line}`;
  });
  return [{ name: "import.log", text: lines(text) }];
}

const cause = [
  `INFO  batch=${causeAt} stored rows=500`,
  `WARN  batch=${causeAt} no response within 30 s, trying again`,
  `INFO  batch=${causeAt} attempt=2 rows=500`,
  `ERROR batch=${causeAt} attempt=2 failed: duplicate key in "orders_pkey": (order)=(88411)`,
  `ERROR import stopped after batch=${causeAt}: 1 batch failed, 1129 not started`,
];

function routine(index: number, next: (limit: number) => number): string {
  if (index > causeAt) return `INFO  health ok, import idle, queue=1129`;
  if (index % 97 === 0) return `WARN  pool: ${1 + next(3)} of 10 connections free`;
  return `INFO  batch=${index} stored rows=500 took=${180 + next(400)}ms`;
}

function lines(all: string[]): string {
  return `${all.join("\n")}\n`;
}
