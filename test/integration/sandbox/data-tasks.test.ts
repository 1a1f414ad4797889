import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { afterAll, describe, expect, it } from "vitest";
import type { SandboxEngine } from "../../../src/sandbox/sandbox-types.ts";
import { csvOf, decimal, jsonLinesOf, logOf, median, requestsOf, type Sale, salesOf, sumsBy } from "./data-files.ts";
import { run, sandbox, written } from "./sandbox.ts";

interface Task {
  engine: SandboxEngine;
  files: Record<string, string | Uint8Array>;
  program: string;
  /** The exact output. */
  output?: string;
  /** The exact content of a written file. */
  saved?: Record<string, string>;
}

const python = (files: Task["files"], program: string, output: string, saved?: Task["saved"]): Task => ({
  engine: "python",
  files,
  program,
  output,
  ...(saved && { saved }),
});
const javascript = (files: Task["files"], program: string, output: string, saved?: Task["saved"]): Task => ({
  ...python(files, program, output, saved),
  engine: "javascript",
});
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const amountOf = ({ amount }: Sale) => amount;
const asLine = ({ id, region, product, amount, date, note }: Sale) =>
  `${id},${region},${product},${decimal(amount)},${date},${note}`;

/** Realistic tasks with their true results. `rows`: lines of the tables and logs; 200,000 are about 30 MB. */
function tasks(rows: number): Record<string, Task> {
  const sales = salesOf(rows);
  const csv = csvOf(sales);
  const halfOfSales = sales.slice(0, rows / 2);
  const jsonLines = jsonLinesOf(halfOfSales);
  const requests = requestsOf(rows);
  const log = logOf(requests);
  const salesFile = { "sales.csv": csv };

  const byAmount = sales.toSorted((a, b) => a.amount - b.amount || a.id - b.id);
  const centsByRegion = sumsBy(sales, ({ region }) => region, amountOf);
  const latencies = requests.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const names = Array.from({ length: rows / 2 }, (_, n) => `${n};Straße ${n % 13};Müller`).join("\n");
  const japanese = Buffer.from("96bc914f2c8bc68a450a936392862c31320a", "hex");
  const urgent = sales.filter(({ note }) => note.startsWith("URGENT"));
  const ids = Array.from({ length: rows / 10 }, (_, n) => 1_469_812_398_471_234_561n + BigInt(n % 1_173));
  const events = ids.map((id, n) => `{"id":${id},"n":${n}}`).join("\n");

  return {
    "Python: sort a table into a file of a folder": python(
      salesFile,
      `import os
lines = open("sales.csv").read().splitlines()[1:]
lines.sort(key=lambda line: (float(line.split(",")[3]), int(line.split(",")[0])))
os.makedirs("out/by-amount")
with open("out/by-amount/sorted.csv", "w") as out: out.write("\\n".join(lines) + "\\n")
print(len(lines))`,
      String(rows),
      { "out/by-amount/sorted.csv": `${byAmount.map(asLine).join("\n")}\n` },
    ),
    "Python: sum exactly": python(
      salesFile,
      `import csv, decimal
print(sum(decimal.Decimal(row["amount"]) for row in csv.DictReader(open("sales.csv"))))`,
      decimal(sales.reduce((sum, { amount }) => sum + amount, 0)),
    ),
    "Python: replace in place": python(
      salesFile,
      `import pathlib, re
file = pathlib.Path("sales.csv")
text, count = re.subn(",north,", ",nord,", file.read_text())
file.write_text(text)
print(count)`,
      String(sales.filter(({ region }) => region === "north").length),
      { "sales.csv": csv.replaceAll(",north,", ",nord,") },
    ),
    "Python: split a table, and delete it": python(
      salesFile,
      `import os
head, *lines = open("sales.csv").readlines()
for n in range(4):
    with open(f"part-{n}.csv", "w") as out: out.writelines([head, *lines[n * len(lines) // 4:(n + 1) * len(lines) // 4]])
os.remove("sales.csv")
print(sorted(os.listdir()))`,
      "['part-0.csv', 'part-1.csv', 'part-2.csv', 'part-3.csv']",
      {
        "part-3.csv": `${csv.split("\n")[0]}\n${sales
          .slice((3 * rows) / 4)
          .map(asLine)
          .join("\n")}\n`,
      },
    ),
    "Python: keep ids of 64 bits": python(
      { "events.ndjson": events },
      `import json
ids = [json.loads(line)["id"] for line in open("events.ndjson")]
print(len(set(ids)), max(ids), sum(ids))`,
      `${Math.min(1_173, rows / 10)} ${ids.reduce((a, b) => (b > a ? b : a))} ${ids.reduce((a, b) => a + b)}`,
    ),
    "Python: make a table of JSON lines": python(
      { "sales.jsonl": jsonLines },
      `import csv, json
with open("t.csv", "w", newline="") as out:
    rows = csv.writer(out, lineterminator="\\n", quoting=csv.QUOTE_NONNUMERIC)
    for line in open("sales.jsonl"):
        sale = json.loads(line)
        rows.writerow([sale["id"], sale["tags"][0], sale["amount"]])
print("written")`,
      "written",
      { "t.csv": `${halfOfSales.map(({ id, region, amount }) => `${id},"${region}",${amount}`).join("\n")}\n` },
    ),
    "Python: count requests by hour": python(
      { "access.log": log },
      `import collections, datetime
hours = collections.Counter()
for line in open("access.log"):
    hours[datetime.datetime.strptime(line.split("[")[1][:20], "%d/%b/%Y:%H:%M:%S").strftime("%H")] += 1
for hour in sorted(hours): print(hour, hours[hour])`,
      sumsBy(
        requests,
        ({ hour }) => hour,
        () => 1,
      ),
    ),
    "Python: compute percentiles": python(
      { "access.log": log },
      `import math, statistics
values = sorted(int(line.rsplit(" ", 1)[1]) for line in open("access.log"))
print(values[math.ceil(len(values) * 0.95) - 1], statistics.median(values))`,
      `${latencies[Math.ceil(latencies.length * 0.95) - 1]} ${median(latencies)}`,
    ),
    "Python: read compressed files": python(
      { "sales.jsonl.gz": gzipSync(jsonLines), "access.log.gz": gzipSync(log) },
      `import gzip, json
print(sum(json.loads(line)["amount"] for line in gzip.open("sales.jsonl.gz", "rt")))
print(sum(" 404 " in line for line in gzip.open("access.log.gz", "rt")))`,
      `${halfOfSales.reduce((sum, { amount }) => sum + amount, 0)}\n${requests.filter(({ status }) => status === 404).length}`,
    ),
    "Python: pack and unpack with tar": python(
      { ...salesFile, "notes.txt": "n" },
      `import hashlib, os, tarfile
with tarfile.open("/tmp/all.tgz", "w:gz") as archive:
    for name in ("sales.csv", "notes.txt"): archive.add(name)
os.remove("sales.csv")
with tarfile.open("/tmp/all.tgz") as archive:
    print(archive.getnames())
    archive.extract("sales.csv", filter="data")
print(hashlib.sha256(open("sales.csv", "rb").read()).hexdigest())`,
      `['sales.csv', 'notes.txt']\n${sha256(csv)}`,
    ),
    "Python: unpack a ZIP archive with folders": python(
      { "data.zip": zipSync({ "sales.csv": strToU8(csv), "docs/readme.txt": strToU8("hello") }) },
      `import zipfile
zipfile.ZipFile("data.zip").extractall()
print(open("docs/readme.txt").read())`,
      "hello",
      { "sales.csv": csv, "docs/readme.txt": "hello" },
    ),
    "Python: calculate with dates": python(
      salesFile,
      `import calendar, datetime
days = [datetime.date.fromisoformat(line.split(",")[4]) for line in open("sales.csv").readlines()[1:]]
print(sum(day.weekday() == 6 for day in days), datetime.date(2024, 2, 27) + datetime.timedelta(days=3))
print(calendar.monthrange(2024, 2)[1], datetime.datetime(2024, 3, 10, 12).strftime("%A %d %B %Y %Z").strip())
print(datetime.datetime.fromtimestamp(0), datetime.datetime.now().astimezone().tzname())`,
      `${sales.filter(({ date }) => new Date(date).getUTCDay() === 0).length} 2024-03-01\n29 Sunday 10 March 2024\n` +
        "1970-01-01 00:00:00 UTC",
    ),
    "Python: read and write encodings": python(
      {
        "latin.csv": Buffer.from(names, "latin1"),
        "wide.csv": Buffer.from(`\ufeff${names}\n`, "utf16le"),
        "jp.csv": japanese,
      },
      `text = open("latin.csv", encoding="latin-1").read()
print(text.count("Straße 7;"), sum(line.endswith("Müller\\n") for line in open("wide.csv", encoding="utf-16")))
print(open("jp.csv", encoding="shift_jis").readline().strip())
open("utf8.csv", "w").write(text)
print(len(text.encode("iso-8859-1")))`,
      `${names.split("\n").filter((line) => line.includes("Straße 7;")).length} ${rows / 2}\n名前,業界\n${
        Buffer.from(names, "latin1").length
      }`,
      { "utf8.csv": names },
    ),
    "Python: read XML": python(
      { "sales.xml": `<sales>${halfOfSales.map(({ id, amount }) => `<s id="${id}">${amount}</s>`).join("")}</sales>` },
      `import xml.etree.ElementTree as tree
print(sum(int(sale.text) for _, sale in tree.iterparse("sales.xml") if sale.tag == "s"))`,
      String(halfOfSales.reduce((sum, { amount }) => sum + amount, 0)),
    ),
    "JavaScript: sum by group": javascript(
      salesFile,
      "const s = {}; for (const r of parseCsv(readFile('sales.csv'))) s[r.region] = (s[r.region] ?? 0) + Math.round(r.amount * 100); Object.keys(s).sort().map((r) => `${r} ${s[r]}`).join('\\n')",
      centsByRegion,
    ),
    "JavaScript: write a filtered table": javascript(
      salesFile,
      "const lines = readFile('sales.csv').split('\\n').filter((line) => line.includes('URGENT')); writeFile('urgent.csv', lines.join('\\n') + '\\n'); lines.length",
      String(urgent.length),
      { "urgent.csv": `${urgent.map(asLine).join("\n")}\n` },
    ),
    "JavaScript: read JSON lines": javascript(
      { "sales.jsonl": jsonLines },
      "readFile('sales.jsonl').trim().split('\\n').reduce((sum, line) => sum + JSON.parse(line).amount, 0)",
      String(halfOfSales.reduce((sum, { amount }) => sum + amount, 0)),
    ),
    "JavaScript: parse addresses of a log": javascript(
      { "access.log": log },
      `const pages = readFile('access.log').split('\\n').flatMap((line) => /"GET (\\S+)/.exec(line)?.[1] ?? []);
      pages.filter((page) => new URL(page, 'https://example.com').searchParams.get('q') === 'a b').length`,
      String(requests.filter(({ path }) => path.includes("q=a%20b")).length),
    ),
    "JavaScript: decode bytes": javascript(
      { "jp.csv": japanese, "names.csv": Buffer.from(names, "latin1") },
      `const rows = new TextDecoder('latin1').decode(readBytes('names.csv')).split('\\n');
      [new TextDecoder('shift_jis').decode(readBytes('jp.csv')).split('\\n')[0], rows.length, new TextEncoder().encode('ß').length].join(' ')`,
      `名前,業界 ${rows / 2} 2`,
    ),
  };
}

afterAll(() => sandbox.close());

async function expectSolved({ engine, files, program, output, saved }: Task): Promise<void> {
  const result = await run(engine, program, { files, seconds: 120 });
  expect(result.problem).toBeUndefined();
  expect(result.output.trim()).toBe(output);
  for (const [name, content] of Object.entries(saved ?? {})) {
    expect(written(result)[name] === content, `content of ${name}`).toBe(true);
  }
}

describe("a program reads and writes files of 10,000 rows, which are 1.5 MB,", () => {
  it.each(Object.entries(tasks(10_000)))("%s", (_, task) => expectSolved(task));
});

describe("a program reads and writes files of 100,000 rows, which are 15 MB,", () => {
  const large = tasks(100_000);
  const names = [
    "Python: replace in place",
    "Python: make a table of JSON lines",
    "JavaScript: write a filtered table",
  ];
  it.each(names)("%s", (name) => expectSolved(large[name]!));
});
