/** A question about files, and a program of a model that answers it. */
export interface DataTask {
  title: string;
  files: string[];
  tool: "run_shell" | "run_python";
  program: string;
  /** Name of the true result in `expected.json`. */
  result: string;
  /** Library that the program or its file needs. Default: Python and the usual programs. */
  needs?: string;
}

const shell = (title: string, files: string, program: string, result: string): DataTask => ({
  title,
  files: files.split(" "),
  tool: "run_shell",
  program,
  result,
});
const python = (title: string, files: string, program: string, result: string, needs?: string): DataTask => ({
  ...shell(title, files, program, result),
  tool: "run_python",
  ...(needs !== undefined && { needs }),
});

/** Two decimals of a sum of cents, without an error of floating point. */
const printCents = `printf "%d.%02d\\n", s / 100, s % 100`;

export const dataTasks: DataTask[] = [
  shell(
    "bookkeeping in Latin-1 with 1.234,56, by iconv and awk",
    "bookings.csv",
    `iconv -f latin1 -t utf-8 bookings.csv | awk -F';' '$2 ~ /Strauß/ { v = $4; gsub(/[.,]/, "", v); s += v } END { ${printCents} }'`,
    "bookings",
  ),
  python(
    "bookkeeping in Latin-1, by csv",
    "bookings.csv",
    "import csv\ns = sum(int(r['Amount'].replace('.', '').replace(',', '')) for r in csv.DictReader(open('bookings.csv', encoding='latin-1'), delimiter=';') if r['Customer'].startswith('Strau'))\nprint(f'{s // 100}.{s % 100:02d}')",
    "bookings",
  ),
  python(
    "CSV with a BOM and line ends in cells",
    "orders.csv",
    "import csv\nr = list(csv.DictReader(open('orders.csv', encoding='utf-8-sig', newline='')))\nprint(sum(int(x['qty']) for x in r if x['category'] == 'B'), sum('\\n' in x['note'] for x in r))",
    "orders",
  ),
  shell(
    "UTF-16 by iconv and awk",
    "excel.txt",
    "iconv -f UTF-16 -t UTF-8 excel.txt | tr -d '\\r' | awk -F'\\t' '$2 == \"Süd\" { s += $3 } END { print s }'",
    "excel",
  ),
  python(
    "dates in four formats",
    "dates.csv",
    "import csv, datetime as d\nn = 0\nfor r in csv.DictReader(open('dates.csv')):\n    for f in ('%Y-%m-%d', '%d %b %Y', '%B %d, %Y', '%d.%m.%Y'):\n        try: x = d.datetime.strptime(r['when'], f)\n        except ValueError: continue\n        n += (x.year, x.month) == (2024, 2); break\nprint(n)",
    "dates",
  ),
  shell(
    "dates in four formats, by date",
    "dates.csv",
    `tail -n +2 dates.csv | cut -d, -f2- | tr -d '"' | sed -E 's/^([0-9]{2})\\.([0-9]{2})\\.([0-9]{4})$/\\3-\\2-\\1/' | date -f - +%Y-%m | grep -c '^2024-02$'`,
    "dates",
  ),
  shell(
    "a join of 30 MB, by sqlite3",
    "transactions.csv accounts.csv",
    `sqlite3 :memory: '.import --csv transactions.csv t' '.import --csv accounts.csv a' "select printf('%.2f', sum(cast(round(amount * 100) as integer)) / 100.0) from t join a using (account_id) where branch = 'Köln'"`,
    "join",
  ),
  shell(
    "a join of 30 MB, by sort and join",
    "transactions.csv accounts.csv",
    `join -t, -1 2 -2 1 -o 1.4,2.2 <(tail -n +2 transactions.csv | sort -t, -k2,2) <(tail -n +2 accounts.csv | sort -t, -k1,1) | grep ',Köln$' | tr -d . | awk -F, '{ s += $1 } END { ${printCents} }'`,
    "join",
  ),
  python(
    "a join of 30 MB, by pandas",
    "transactions.csv accounts.csv",
    "import pandas as pd\nm = pd.read_csv('transactions.csv').merge(pd.read_csv('accounts.csv'))\nprint({k: round(float(v), 2) for k, v in sorted(m.groupby('branch').amount.sum().items())})",
    "pivot",
    "pandas",
  ),
  shell(
    "invoices that were paid twice, by sort and uniq",
    "invoices.csv",
    "tail -n +2 invoices.csv | cut -d, -f2- | sort | uniq -d | wc -l",
    "invoices",
  ),
  shell(
    "nested JSON, by jq",
    "orders.json",
    `jq '[.[].order | select(.customer.country == "FR") | .lines[] | .cents * .qty] | add' orders.json`,
    "nested",
  ),
  shell(
    "JSON lines by status, by jq",
    "events.ndjson",
    "jq -r .status events.ndjson | sort | uniq -c | awk '$2 == 503 { print $1 }'",
    "statuses",
  ),
  python(
    "ids above 2^53, by json",
    "events.ndjson",
    "import json\ni = [json.loads(l)['id'] for l in open('events.ndjson')]\nprint(i[0], i[-1], len(set(i)))",
    "ids",
  ),
  shell(
    "the 95th percentile of a log of 25 MB",
    "access.log",
    "awk '{ print $NF }' access.log | sort -n | awk '{ a[NR] = $1 } END { i = NR * 0.95; print a[i == int(i) ? i : int(i) + 1] }'",
    "p95",
  ),
  shell("errors in a log of 25 MB, by grep", "access.log", `grep -c '" 502 ' access.log`, "bad"),
  shell(
    "rotated logs, by zcat",
    "app.log.1.gz app.log.2.gz app.log.3.gz",
    "zcat app.log.*.gz | grep -c ERROR",
    "rotated",
  ),
  shell(
    "a Java log with colours and CR LF",
    "java.log",
    `echo "$(grep -c NullPointerException java.log) $(sed 's/\\x1b\\[[0-9;]*m//g' java.log | tr -d '\\r' | grep -A1 '^2026.*ERROR' | grep -c '^java')"`,
    "java",
  ),
  python(
    "an e-mail with an attachment",
    "mail.eml",
    "import email, email.policy\nm = email.message_from_binary_file(open('mail.eml', 'rb'), policy=email.policy.default)\na = next(m.iter_attachments())\nprint(m['subject'], a.get_filename(), sum(int(l.split(',')[1]) for l in a.get_content().split()[1:]), sep='|')",
    "mail",
  ),
  shell(
    "a ZIP of folders, unpacked",
    "export.zip",
    "unzip -q export.zip && cat 2025/*/sales.csv | awk -F, '$1 != \"day\" { s += $2 } END { print s }'; rm -r 2025",
    "zip",
  ),
  shell(
    "a tar.gz",
    "bundle.tar.gz",
    "tar xzf bundle.tar.gz -C /tmp && cat /tmp/etc/*.cfg | awk '{ s += $2 } END { print s }'",
    "tar",
  ),
  shell(
    "HTML by grep -P",
    "report.html",
    `grep -oP "(?<=<td class='n'>)[0-9,]+" report.html | tr -d , | paste -sd+ | bc`,
    "html",
  ),
  shell(
    "a section of Markdown",
    "handbook.md",
    "awk '/^## 321\\./ { f = 1 } /^## 322\\./ { f = 0 } f' handbook.md | grep limit",
    "markdown",
  ),
  shell(
    "a notebook, by jq",
    "analysis.ipynb",
    `jq -r '.cells[] | select(.cell_type == "code") | (.source | join("")), (.outputs[].text // empty | join(""))' analysis.ipynb | tail -n +2`,
    "notebook",
  ),
  python(
    "a bank statement in XML",
    "camt053.xml",
    "import xml.etree.ElementTree as E\nfrom decimal import Decimal\nn = {'c': 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.02'}\nprint(sum(Decimal(e.find('c:Amt', n).text) for e in E.parse('camt053.xml').iterfind('.//c:Ntry', n) if e.find('c:CdtDbtInd', n).text == 'DBIT'))",
    "camt",
  ),
  python(
    "Kubernetes YAML, by PyYAML",
    "k8s.yaml",
    "import yaml\nprint(sum(d['spec']['replicas'] for d in yaml.safe_load_all(open('k8s.yaml')) if d['kind'] == 'Deployment'))",
    "yaml",
    "yaml",
  ),
  python(
    "hours of a calendar",
    "cal.ics",
    "import re, datetime as d\nt = open('cal.ics').read(); f = lambda k: [d.datetime.strptime(x, '%Y%m%dT%H%M%S') for x in re.findall(k + r'.*:(\\S+)', t)]\nprint(sum((b - a).seconds for a, b in zip(f('DTSTART'), f('DTEND'))) / 3600)",
    "calendar",
  ),
  shell(
    "places within 100 km, by jq",
    "places.geojson",
    `jq 'def r: . * 3.141592653589793 / 180; [.features[].geometry.coordinates | (((((52.52 - .[1]) | r) / 2) | sin | . * .) + ((.[1] | r | cos) * (52.52 | r | cos) * ((((13.405 - .[0]) | r) / 2) | sin | . * .))) | 12742 * (sqrt | asin) | select(. < 100)] | length' places.geojson`,
    "places",
  ),
  shell(
    "MT940, by grep -P",
    "mt940.sta",
    `grep -aoP '^:61:\\d{6}C\\K[\\d,]+' mt940.sta | tr -d , | awk '{ s += $1 } END { ${printCents} }'`,
    "mt940",
  ),
  shell(
    "100,000 amounts, by bc",
    "cents.csv",
    "cut -d, -f2 cents.csv | tail -n +2 | tr -d '\\r' | paste -sd+ | bc",
    "cents",
  ),
  shell(
    "the largest amount, by sort",
    "cents.csv",
    "sort -t, -k2,2n cents.csv | tail -1 | tr -d '\\r' | cut -d, -f2",
    "largest",
  ),
  shell(
    "names between narrow spaces",
    "nbsp.csv",
    "LC_ALL=C tr -d '\\302\\240\\342\\200\\257' < nbsp.csv | cut -d';' -f1 | sort | uniq -c | awk '$2 == \"Anna\" { print $2, $1 }'",
    "spaces",
  ),
  shell(
    "Windows-1251",
    "cyrillic.csv",
    "iconv -f CP1251 -t UTF-8 cyrillic.csv | awk -F';' 'NR > 1 { s += $2 } END { print s }'",
    "cyrillic",
  ),
  shell(
    "a database, by sqlite3",
    "shop.db",
    `sqlite3 -separator ' ' shop.db "select (select max(s) from (select sum(cents) s from orders group by customer)), (select sum(cents) from orders o join customers c on c.name = o.customer where json_extract(meta, '$.seg') = 'b' and strftime('%m', ts) = '02')"`,
    "sql",
  ),
  python(
    "a database, by Python",
    "shop.db",
    `import sqlite3\nc = sqlite3.connect("shop.db")\nprint(max(s for s, in c.execute("select sum(cents) from orders group by customer")), c.execute("select sum(cents) from orders where substr(ts, 6, 2) = '02' and cast(substr(customer, 2) as integer) % 2").fetchone()[0])`,
    "sql",
  ),
  python(
    "XLSX of 80,000 rows, by openpyxl",
    "ledger.xlsx",
    "import openpyxl\nw = openpyxl.load_workbook('ledger.xlsx', read_only=True)['Ledger']\ns = sum(round(r[2] * 100) for r in w.iter_rows(min_row=2, values_only=True) if r[1] == '8400')\nprint(f'{s // 100}.{s % 100:02d}')",
    "ledger",
    "openpyxl",
  ),
  python(
    "formulas, comments and hidden sheets",
    "ledger.xlsx",
    "import openpyxl\nb = openpyxl.load_workbook('ledger.xlsx')\nc = b['Ledger']['E1']\nprint(c.value, c.comment.text, b['Secret']['A1'].value, b['Secret'].sheet_state, sep='|')",
    "workbook",
    "openpyxl",
  ),
  python(
    "a contract of 300 clauses",
    "contract.docx",
    "import docx\np = docx.Document('contract.docx').paragraphs\nprint(*[f'{h.text}: {t.text}' for h, t in zip(p, p[1:]) if 'liability cap' in t.text])",
    "contract",
    "docx",
  ),
  python(
    "notes of slides",
    "deck.pptx",
    "import pptx\nprint(*[f'{s.shapes.title.text}: {s.notes_slide.notes_text_frame.text}' for s in pptx.Presentation('deck.pptx').slides], sep='\\n')",
    "deck",
    "pptx",
  ),
  python(
    "Parquet, by pandas",
    "data.parquet",
    "import pandas as pd\nd = pd.read_parquet('data.parquet')\nprint(d.a.sum(), d.b.sum())",
    "parquet",
    "pandas",
  ),
  python(
    "EXIF of a photo",
    "photo.jpg",
    "from PIL import Image\ni = Image.open('photo.jpg')\nprint(*i.size, i.getexif()[0x010F])",
    "photo",
    "matplotlib",
  ),
  {
    ...shell(
      "a statement in PDF, by pdftotext",
      "statement.pdf",
      `echo "$(pdfinfo statement.pdf | awk '/^Pages/ { print $2 }') $(pdftotext -layout statement.pdf - | grep -oP 'amount \\K[\\d.]+' | paste -sd+ | bc)"`,
      "pdf",
    ),
    needs: "matplotlib",
  },
];

/** Programs for files that nothing in the environment reads. They must fail, and say so. */
export const refusedTasks: DataTask[] = [
  python("an old XLS", "old.xls", "import pandas as pd\nprint(pd.read_excel('old.xls'))", "", "pandas"),
  shell("a library that is not there", "cents.csv", "python3 -c 'import no_such_library'", ""),
  shell("a program that is not there", "cents.csv", "xan count cents.csv", ""),
  shell("a file that is not there", "cents.csv", "set -e; sort other.csv > sorted.csv", ""),
  shell("a program from the network", "cents.csv", "python3 -m pip install --no-input xlrd", ""),
];
