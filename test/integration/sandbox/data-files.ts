/** Deterministic data for the data tasks: rows as objects, and the same rows as the text of a file. */
export interface Sale {
  id: number;
  region: string;
  product: string;
  /** In cents. */
  amount: number;
  date: string;
  note: string;
}

const regions = ["north", "south", "east", "west"];
const paths = ["/", "/login", "/search?q=a%20b&page=2", "/items/17", "/api/v1/orders"];
const statuses = [200, 200, 200, 304, 404, 500];

export function salesOf(count: number): Sale[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    region: regions[(id * 7) % 4] ?? "",
    product: `p${(id * 31) % 97}`,
    amount: (id * 7_919) % 100_003,
    date: new Date(Date.UTC(2024, 0, 1 + (id % 365))).toISOString().slice(0, 10),
    note: `${id % 10 === 0 ? "URGENT " : ""}${"lorem ipsum dolor sit amet ".repeat(4)}${id}`,
  }));
}

export const decimal = (cents: number): string => (cents / 100).toFixed(2);

/** About 150 bytes for each row. */
export function csvOf(sales: Sale[]): string {
  const lines = sales.map(
    ({ id, region, product, amount, date, note }) => `${id},${region},${product},${decimal(amount)},${date},${note}`,
  );
  return `id,region,product,amount,date,note\n${lines.join("\n")}\n`;
}

export function jsonLinesOf(sales: Sale[]): string {
  return `${sales.map((sale) => JSON.stringify({ ...sale, tags: [sale.region, sale.product] })).join("\n")}\n`;
}

export interface LogLine {
  address: string;
  hour: string;
  path: string;
  status: number;
  milliseconds: number;
}

export function requestsOf(count: number): LogLine[] {
  return Array.from({ length: count }, (_, n) => ({
    address: `10.0.${n % 7}.${(n * n) % 31}`,
    hour: String((n * 5) % 24).padStart(2, "0"),
    path: paths[(n * 3) % 5] ?? "",
    status: statuses[(n * 5) % 6] ?? 0,
    milliseconds: (n * 6_007) % 9_973,
  }));
}

export function logOf(requests: LogLine[]): string {
  const lines = requests.map(
    ({ address, hour, path, status, milliseconds }) =>
      `${address} - - [12/Mar/2024:${hour}:15:00 +0000] "GET ${path} HTTP/1.1" ${status} 512 "-" "Mozilla/5.0" ${milliseconds}`,
  );
  return `${lines.join("\n")}\n`;
}

/** "name sum" lines, by name. */
export function sumsBy<Row>(rows: Row[], name: (row: Row) => string, value: (row: Row) => number): string {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(name(row), (sums.get(name(row)) ?? 0) + value(row));
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, sum]) => `${key} ${sum}`)
    .join("\n");
}

/** Of sorted values, as Python's `statistics.median` prints it. */
export function median(sorted: number[]): string {
  const middle = sorted.length / 2;
  const value = ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
  return sorted.length % 2 === 0 && Number.isInteger(value) ? `${value}.0` : String(value);
}
