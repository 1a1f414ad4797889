import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { afterAll, describe, expect, it } from "vitest";
import type { SandboxEngine } from "../../../src/sandbox/types.ts";
import { csvOf, decimal, jsonLinesOf, logOf, requestsOf, type Sale, salesOf, sumsBy, topCounts } from "./data-files.ts";
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

const python = (code: string) => `python3 - <<'EOF'\n${code}\nEOF`;

const shell = (files: Task["files"], program: string, output: string, saved?: Task["saved"]): Task => ({
  engine: "python",
  files,
  program,
  output,
  ...(saved && { saved }),
});
const javascript = (files: Task["files"], program: string, output: string, saved?: Task["saved"]): Task => ({
  ...shell(files, program, output, saved),
  engine: "javascript",
});
const bytesOf = (text: string) => Buffer.byteLength(text);
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const asLine = ({ id, region, product, amount, date, note }: Sale) =>
  `${id},${region},${product},${decimal(amount)},${date},${note}`;

/** Realistic tasks with their true results. `rows`: lines of the tables and logs; 200,000 are about 30 MB. */
function tasks(rows: number): Record<string, Task> {
  const sales = salesOf(rows);
  const csv = csvOf(sales);
  const jsonLines = jsonLinesOf(sales.slice(0, rows / 2));
  const halfOfSales = sales.slice(0, rows / 2);
  const requests = requestsOf(rows);
  const log = logOf(requests);
  const salesFile = { "sales.csv": csv };

  const byAmount = sales.toSorted((a, b) => a.amount - b.amount || a.id - b.id);
  const centsByRegion = sumsBy(
    sales,
    ({ region }) => region,
    ({ amount }) => amount,
  );
  const latencies = requests.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  const p95 = latencies[Math.ceil(latencies.length * 0.95) - 1];
  const names = Array.from({ length: rows / 2 }, (_, n) => `${n};Straße ${n % 13};Müller`).join("\n");
  const japanese = Buffer.from("96bc914f2c8bc68a450a936392862c31320a", "hex");
  const months = sumsBy(
    sales,
    ({ date }) => date.slice(0, 7),
    ({ amount }) => amount,
  );
  const prices = `product,price\n${Array.from({ length: 97 }, (_, n) => `p${n},${n * 3}`).join("\n")}\n`;
  const priceTotal = sales.reduce((sum, { product }) => sum + Number(product.slice(1)) * 3, 0);
  const urgent = sales.filter(({ note }) => note.startsWith("URGENT"));
  const toSql = "sqlite3 sales.db '.import --csv sales.csv sales'";

  return {
    "count lines through a pipe": shell(salesFile, "cat sales.csv | wc -l", String(rows + 1)),
    "count values of a column": shell(
      salesFile,
      "tail -n +2 sales.csv | cut -d, -f3 | sort | uniq -c | sort -k1,1nr -k2 | head -5 | awk '{print $2, $1}'",
      topCounts(
        sales.map(({ product }) => product),
        5,
      ),
    ),
    "sort a table into a file": shell(
      salesFile,
      "tail -n +2 sales.csv | sort -t, -k4,4n -k1,1n > sorted.csv; head -1 sorted.csv; tail -1 sorted.csv",
      [byAmount[0], byAmount.at(-1)].map((sale) => sale && asLine(sale)).join("\n"),
      { "sorted.csv": `${byAmount.map(asLine).join("\n")}\n` },
    ),
    "sum by group with awk": shell(
      salesFile,
      "awk -F, 'NR > 1 { s[$2] += $4 * 100 } END { for (r in s) printf \"%s %d\\n\", r, s[r] + 0.5 }' sales.csv | sort",
      centsByRegion,
    ),
    "filter with grep into a file": shell(
      salesFile,
      "grep URGENT sales.csv > urgent.csv; wc -l < urgent.csv; grep -c ',north,' urgent.csv",
      `${urgent.length}\n${urgent.filter(({ region }) => region === "north").length}`,
      { "urgent.csv": `${urgent.map(asLine).join("\n")}\n` },
    ),
    "replace with sed into a file": shell(
      salesFile,
      "sed 's/,north,/,nord,/' sales.csv > new.csv; grep -c ,nord, new.csv",
      String(sales.filter(({ region }) => region === "north").length),
      { "new.csv": csv.replaceAll(",north,", ",nord,") },
    ),
    "edit a table in place": shell(
      { "sales.csv": csv },
      "sed -i '1s/region/area/' sales.csv; head -1 sales.csv",
      "id,area,product,amount,date,note",
      {
        "sales.csv": csv.replace("region", "area"),
      },
    ),
    "count distinct values": shell(
      salesFile,
      "cut -d, -f5 sales.csv | tail -n +2 | sort -u | wc -l",
      String(new Set(sales.map(({ date }) => date)).size),
    ),
    "join two tables": shell(
      { ...salesFile, "prices.csv": prices },
      `awk -F, 'FNR == 1 { next } NR == FNR { price[$1] = $2; next } { total += price[$3] } END { print total }' prices.csv sales.csv`,
      String(priceTotal),
    ),
    "group with xan": shell(
      salesFile,
      "xan groupby region 'count() as n' sales.csv | xan sort -s region | tail -n +2 | tr , ' '",
      sumsBy(
        sales,
        ({ region }) => region,
        () => 1,
      ),
    ),
    "group with SQL": shell(
      salesFile,
      `${toSql}; sqlite3 -separator ' ' sales.db "select region, cast(round(sum(amount * 100)) as integer) from sales group by region order by region"; rm sales.db`,
      centsByRegion,
    ),
    "read a table line by line": shell(
      salesFile,
      'n=0; while IFS=, read -r id region rest; do [ "$region" = north ] && n=$((n+1)); done < sales.csv; echo $n',
      String(sales.filter(({ region }) => region === "north").length),
    ),
    "keep a file in a variable": shell(salesFile, "x=$(cat sales.csv); echo ${#x}", String(csv.length - 1)),
    "split a table": shell(
      salesFile,
      `tail -n +2 sales.csv > rows; split -l ${rows / 4} rows part-; cat part-* | wc -l; ls part-* | wc -l; rm rows`,
      `${rows}\n4`,
    ),
    "compare two lists": shell(
      {
        a: `${sales.map(({ id }) => `k${id}`).join("\n")}\n`,
        b: `${halfOfSales.map(({ id }) => `k${id * 3}`).join("\n")}\n`,
      },
      "comm -12 <(sort a) <(sort b) | wc -l",
      String(halfOfSales.filter(({ id }) => id * 3 < rows).length),
    ),
    "sort JSON lines into groups": shell(
      { "sales.jsonl": jsonLines },
      "jq -r -s 'group_by(.region)[] | \"\\(.[0].region) \\(map(.amount) | add)\"' sales.jsonl",
      sumsBy(
        halfOfSales,
        ({ region }) => region,
        ({ amount }) => amount,
      ),
    ),
    "make a table of JSON lines": shell(
      { "sales.jsonl": jsonLines },
      "jq -r '[.id, .tags[0], .amount] | @csv' sales.jsonl > t.csv; wc -l < t.csv",
      String(halfOfSales.length),
      { "t.csv": `${halfOfSales.map(({ id, region, amount }) => `${id},"${region}",${amount}`).join("\n")}\n` },
    ),
    "make JSON of a table": shell(
      salesFile,
      'awk -F, \'NR > 1 { printf "{\\"id\\":%d,\\"amount\\":%s}\\n", $1, $4 }\' sales.csv | jq -s \'map(select(.amount > 500)) | length\'',
      String(sales.filter(({ amount }) => amount > 50_000).length),
    ),
    "find the top addresses of a log": shell(
      { "access.log": log },
      "awk '$9 == 500 { print $1 }' access.log | sort | uniq -c | sort -k1,1nr -k2 | head -5 | awk '{print $2, $1}'",
      topCounts(
        requests.filter(({ status }) => status === 500).map(({ address }) => address),
        5,
      ),
    ),
    "count requests by hour": shell(
      { "access.log": log },
      "grep -oE '2024:[0-9]{2}' access.log | cut -d: -f2 | sort | uniq -c | awk '{print $2, $1}'",
      sumsBy(
        requests,
        ({ hour }) => hour,
        () => 1,
      ),
    ),
    "compute a percentile": shell(
      { "access.log": log },
      "awk '{print $NF}' access.log | sort -n | awk '{ v[NR] = $1 } END { i = NR * 0.95; print v[i == int(i) ? i : int(i) + 1] }'",
      String(p95),
    ),
    "compress and uncompress": shell(
      salesFile,
      "gzip -k sales.csv; gunzip -c sales.csv.gz | wc -c; rm sales.csv.gz",
      String(bytesOf(csv)),
    ),
    "read a compressed log": shell(
      { "access.log.gz": gzipSync(log) },
      "zcat access.log.gz | grep -c ' 404 '",
      String(requests.filter(({ status }) => status === 404).length),
    ),
    "pack and unpack with tar": shell(
      { ...salesFile, "notes.txt": "n" },
      "tar czf all.tgz sales.csv notes.txt; rm sales.csv; tar tzf all.tgz; tar xzf all.tgz; sha256sum sales.csv | cut -c1-64; rm all.tgz",
      `sales.csv\nnotes.txt\n${sha256(csv)}`,
    ),
    "unpack a ZIP archive": shell(
      { "data.zip": zipSync({ "sales.csv": strToU8(csv), "docs/readme.txt": strToU8("hello") }) },
      "unzip -q data.zip; wc -l < sales.csv; cat docs/readme.txt; rm -r docs",
      `${rows + 1}\nhello`,
      { "sales.csv": csv },
    ),
    "make a ZIP archive": shell(
      salesFile,
      "zip -q out.zip sales.csv; unzip -p out.zip sales.csv | sha256sum | cut -c1-64; rm out.zip",
      sha256(csv),
    ),
    "calculate with dates": shell(
      {},
      "date -d '2024-02-27 +3 days' +%F; date -d '2024-01-15 + 2 months' +%F; date -d '2024-03-01 -1 day' +%A; date -d '1 week ago 2024-03-08' +%F",
      "2024-03-01\n2024-03-15\nThursday\n2024-03-01",
    ),
    "sum by month": shell(
      salesFile,
      "awk -F, 'NR > 1 { m = substr($5, 1, 7); s[m] += $4 * 100 } END { for (m in s) printf \"%s %d\\n\", m, s[m] + 0.5 }' sales.csv | sort",
      months,
    ),
    "read Latin-1": shell(
      { "names.csv": Buffer.from(names, "latin1") },
      "iconv -f latin1 -t utf-8 names.csv > u.csv; grep -c 'Straße 7;' u.csv",
      String(names.split("\n").filter((line) => line.includes("Straße 7;")).length),
      { "u.csv": names },
    ),
    "read UTF-16": shell(
      { "names.csv": Buffer.from(`\ufeff${names}\n`, "utf16le") },
      "iconv -f UTF-16 -t UTF-8 names.csv | grep -c 'Müller$'",
      String(rows / 2),
    ),
    "write Latin-1": shell(
      { "names.csv": names },
      "iconv -f utf-8 -t iso-8859-1 names.csv | wc -c",
      String(Buffer.from(names, "latin1").length),
    ),
    "read Shift-JIS": shell({ "jp.csv": japanese }, "iconv -f shift_jis -t utf-8 jp.csv | head -1", "名前,業界"),
    "Python: sum by group": shell(
      salesFile,
      python(`import csv, collections
sums = collections.Counter()
for row in csv.DictReader(open("sales.csv")): sums[row["region"]] += round(float(row["amount"]) * 100)
for region in sorted(sums): print(region, sums[region])`),
      centsByRegion,
    ),
    "Python: write a sorted table": shell(
      salesFile,
      python(`lines = open("sales.csv").read().splitlines()[1:]
lines.sort(key=lambda line: (float(line.split(",")[3]), int(line.split(",")[0])))
open("sorted.csv", "w").write("\\n".join(lines) + "\\n")
print(len(lines))`),
      String(rows),
      { "sorted.csv": `${byAmount.map(asLine).join("\n")}\n` },
    ),
    "Python: read JSON lines and compressed files": shell(
      { "sales.jsonl.gz": gzipSync(jsonLines) },
      python(`import gzip, json
print(sum(json.loads(line)["amount"] for line in gzip.open("sales.jsonl.gz", "rt")))`),
      String(halfOfSales.reduce((sum, { amount }) => sum + amount, 0)),
    ),
    "Python: months, ZIP archives and encodings": shell(
      { ...salesFile, "names.csv": Buffer.from(names, "latin1"), "data.zip": zipSync({ "a.txt": strToU8("12\n") }) },
      python(`import datetime, zipfile
days = [datetime.date.fromisoformat(line.split(",")[4]) for line in open("sales.csv").readlines()[1:]]
print(sum(day.weekday() == 6 for day in days), datetime.date(2024, 2, 27) + datetime.timedelta(days=3))
print(int(zipfile.ZipFile("data.zip").read("a.txt")), open("names.csv", encoding="latin-1").read().count("Straße"))`),
      `${sales.filter(({ date }) => new Date(date).getUTCDay() === 0).length} 2024-03-01\n12 ${rows / 2}`,
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

/** `rows`: lines of each table. `seconds`: the time limit of a task. */
export function describeDataTasks({ rows, seconds }: { rows: number; seconds: number }): void {
  afterAll(() => sandbox.close());

  describe(`a program reads and writes files of ${rows} rows`, () => {
    it.each(Object.entries(tasks(rows)))("%s", async (_, { engine, files, program, output, saved }) => {
      const result = await run(engine, program, { files, seconds });
      expect(result.problem).toBeUndefined();
      expect(result.output.trim()).toBe(output);
      for (const [name, content] of Object.entries(saved ?? {})) {
        expect(written(result)[name] === content, `content of ${name}`).toBe(true);
      }
    });
  });
}
