"""Writes the files of the data tasks, and their true results to expected.json. `scale` is set before this text.

The results come from the numbers themselves, not from the files. Amounts are in cents until they are written.
"""

import base64
import csv
import datetime
import email.message
import email.policy
import gzip
import io
import json
import math
import random
import sqlite3
import tarfile
import zipfile
from collections import Counter, defaultdict

random.seed(20261122)
expected = {}


def rows(full):
    """Number of rows for a size that is `full` at scale 1."""
    return max(200, int(full * scale))


def euros(cents):
    return f"{cents // 100}.{cents % 100:02d}"


def german(cents):
    return f"{cents // 100:,}".replace(",", ".") + f",{cents % 100:02d}"


def day():
    return datetime.date(2025, 1, 1) + datetime.timedelta(days=random.randrange(365))


# Bookkeeping in Latin-1 with 1.234,56
customers = ["Müller GmbH", "Strauß & Söhne", "Übersee AG", "Café Zürich"]
totals = Counter()
with open("bookings.csv", "w", encoding="latin-1", newline="") as f:
    f.write("No;Customer;Date;Amount;Text\r\n")
    for n in range(rows(120_000)):
        customer, cents = random.choice(customers), random.randrange(10, 2_500_000)
        totals[customer] += cents
        f.write(f'{n};"{customer}";{day():%d.%m.%Y};{german(cents)};"Invoice; No. {n}"\r\n')
expected["bookings"] = euros(totals["Strauß & Söhne"])

# CSV with a BOM, quotes and line ends in cells
sums, multi = Counter(), 0
with open("orders.csv", "w", encoding="utf-8-sig", newline="") as f:
    w = csv.writer(f)
    w.writerow(["id", "category", "qty", "note"])
    for n in range(rows(60_000)):
        category, qty = random.choice("ABC"), random.randrange(1, 50)
        note = random.choice(["ok", "line one\nline two", 'said "yes", twice', "a,b,c", ""])
        sums[category] += qty
        multi += "\n" in note
        w.writerow([n, category, qty, note])
expected["orders"] = f"{sums['B']} {multi}"

# UTF-16 as Excel writes it
units = Counter()
with open("excel.txt", "w", encoding="utf-16", newline="") as f:
    f.write("ID\tRegion\tUnits\r\n")
    for n in range(rows(150_000)):
        region, count = random.choice(["Nord", "Süd", "Öst"]), random.randrange(1, 999)
        units[region] += count
        f.write(f"{n}\t{region}\t{count}\r\n")
expected["excel"] = str(units["Süd"])

# Dates in four formats
found = 0
with open("dates.csv", "w", newline="") as f:
    f.write("id,when\n")
    for n in range(rows(20_000)):
        d = datetime.date(2023, 1, 1) + datetime.timedelta(days=random.randrange(1000))
        found += (d.year, d.month) == (2024, 2)
        f.write(f'{n},"{d.strftime(random.choice(["%Y-%m-%d", "%d %b %Y", "%B %d, %Y", "%d.%m.%Y"]))}"\n')
expected["dates"] = str(found)

# Two tables to join: 30 MB at full size
branch = {n: random.choice(["Berlin", "Hamburg", "Köln", "München"]) for n in range(5000)}
by_branch = Counter()
with open("accounts.csv", "w") as f:
    f.write("account_id,branch\n")
    f.writelines(f"AC{n:05d},{name}\n" for n, name in branch.items())
with open("transactions.csv", "w") as f:
    f.write("tx_id,account_id,date,amount,currency,memo\n")
    for n in range(rows(420_000)):
        account, cents = random.randrange(5000), random.randrange(100, 999_999)
        by_branch[branch[account]] += cents
        f.write(f"T{n:07d},AC{account:05d},{day()},{euros(cents)},EUR,payment reference {random.randrange(10**9)}\n")
expected["join"] = euros(by_branch["Köln"])

# Invoices that were paid twice
invoices = [(f"V{n:06d}", random.randrange(1000, 999_900), day()) for n in range(rows(90_000))]
twice = random.sample(invoices, 37)
listed = [(f"INV-{n:06d}", *i) for n, i in enumerate(invoices + twice)]
random.shuffle(listed)
with open("invoices.csv", "w") as f:
    f.write("invoice,vendor,amount,date\n")
    f.writelines(f"{i},{v},{euros(c)},{d}\n" for i, v, c, d in listed)
expected["invoices"] = "37"

# Nested JSON
french = 0
documents = []
for n in range(rows(50_000)):
    country = random.choice(["DE", "FR", "IT", "ES"])
    lines = [{"cents": random.randrange(100, 99_999), "qty": random.randrange(1, 9)} for _ in range(random.randrange(1, 5))]
    french += sum(line["cents"] * line["qty"] for line in lines) if country == "FR" else 0
    documents.append({"order": {"id": n, "customer": {"country": country}, "lines": lines}})
json.dump(documents, open("orders.json", "w"))
expected["nested"] = str(french)

# JSON lines with ids above 2**53
ids, statuses = [], Counter()
with open("events.ndjson", "w") as f:
    for n in range(rows(150_000)):
        ids.append(1469812398471234561 + n * 2 + random.randrange(2))
        status = random.choice([200, 200, 200, 404, 500, 503])
        statuses[status] += 1
        f.write(json.dumps({"id": ids[-1], "status": status, "user": f"u{n % 300}"}) + "\n")
expected["statuses"] = str(statuses[503])
expected["ids"] = f"{ids[0]} {ids[-1]} {len(set(ids))}"

# Access log: 25 MB at full size
seconds, bad = [], 0
with open("access.log", "w") as f:
    for n in range(rows(200_000)):
        status, ms = random.choice([200] * 17 + [301, 404, 502]), int(random.lognormvariate(4.4, 1))
        seconds.append(ms)
        bad += status == 502
        f.write(
            f"10.{n % 4}.{random.randrange(256)}.{random.randrange(256)} - - [{n % 28 + 1:02d}/Oct/2026:{n % 24:02d}:00:00 +0000] "
            f'"GET /api/v{n % 3}/item/{random.randrange(10**6)} HTTP/1.1" {status} {n % 99999} "-" "Mozilla/5.0 (X11; Linux x86_64)" {ms / 1000:.3f}\n'
        )
expected["p95"] = f"{sorted(seconds)[math.ceil(len(seconds) * 0.95) - 1] / 1000:.3f}"
expected["bad"] = str(bad)

# Rotated logs
errors = 0
for k in range(3):
    with gzip.open(f"app.log.{k + 1}.gz", "wt") as f:
        for n in range(rows(30_000)):
            is_error = random.random() < 0.03
            errors += is_error
            f.write(f"2026-10-{k + 1:02d}T00:00:00 {'ERROR' if is_error else 'INFO'} worker={n % 9} msg\n")
expected["rotated"] = str(errors)

# Java log with colours, CR LF and stack traces
traces = 0
with open("java.log", "w", newline="") as f:
    for n in range(rows(8_000)):
        f.write(f"\x1b[32m2026-10-01 10:00:{n % 60:02d}\x1b[0m INFO ok {n}\r\n")
        if random.random() < 0.05:
            traces += 1
            f.write("\x1b[31m2026-10-01 10:00:00\x1b[0m ERROR boom\r\njava.lang.NullPointerException: x\r\n\tat a.B.c(B.java:1)\r\n")
expected["java"] = f"{traces} {traces}"

# E-mail with attachments
message = email.message.EmailMessage()
message["Subject"] = "Rechnung für März – Größe"
message["From"] = "Zoë <zoe@example.com>"
message.set_content("Hallo Bob,\nanbei die Zahlen: Süd 42 €.\n")
message.add_attachment("sku,qty\nA1,7\nB2,35\n".encode(), maintype="text", subtype="csv", filename="März.csv")
open("mail.eml", "wb").write(message.as_bytes(policy=email.policy.SMTP))
expected["mail"] = "Rechnung für März – Größe|März.csv|42"

# ZIP and tar of folders
total = 0
with zipfile.ZipFile("export.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for month in range(1, 13):
        values = [random.randrange(1000) for _ in range(28)]
        total += sum(values)
        z.writestr(f"2025/{month:02d}/sales.csv", "day,amount\n" + "".join(f"{n + 1},{v}\n" for n, v in enumerate(values)))
expected["zip"] = str(total)
with tarfile.open("bundle.tar.gz", "w:gz") as t:
    for n in range(5):
        data = f"size {n * 3}\n".encode()
        info = tarfile.TarInfo(f"etc/app{n}.cfg")
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
expected["tar"] = "30"

# HTML, Markdown, notebook, XML, YAML, calendar, places
values = [random.randrange(1, 9999) for _ in range(rows(20_000))]
cells = "".join(f"<tr><td>Name &amp; Co {n}</td><td class='n'>{v:,}</td></tr>\n" for n, v in enumerate(values))
open("report.html", "w").write(f"<html><script>var a='<td class=x>9</td>'</script><body><table>{cells}</table></body></html>")
expected["html"] = str(sum(values))
open("handbook.md", "w").write("\n".join(f"## {n}. Section\n\n| k | v |\n|---|---|\n| limit | {n * 10} |\n" for n in range(500)))
expected["markdown"] = "| limit | 3210 |"
notebook = [
    {"cell_type": "markdown", "source": ["# Title\n"]},
    {"cell_type": "code", "source": ["x = 41\n", "print(x + 1)"], "outputs": [{"text": ["42\n"]}, {"data": {"image/png": "iVBOR" * 5000}}]},
]
json.dump({"nbformat": 4, "cells": notebook}, open("analysis.ipynb", "w"))
expected["notebook"] = "print(x + 1)\n42"
debit = 0
with open("camt053.xml", "w") as f:
    f.write('<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>')
    for n in range(rows(15_000)):
        cents, kind = random.randrange(1, 10**6), random.choice(["CRDT", "DBIT"])
        debit += cents if kind == "DBIT" else 0
        f.write(f'<Ntry><Amt Ccy="EUR">{euros(cents)}</Amt><CdtDbtInd>{kind}</CdtDbtInd><Txt>Ref &amp; {n}</Txt></Ntry>\n')
    f.write("</Stmt></BkToCstmrStmt></Document>")
expected["camt"] = euros(debit)
with open("k8s.yaml", "w") as f:
    for n in range(40):
        f.write(f"---\nkind: {'Deployment' if n % 4 else 'Service'}\nmetadata: {{name: app-{n}, labels: {{on: 'yes'}}}}\nspec:\n  replicas: {n % 5}\n")
expected["yaml"] = str(sum(n % 5 for n in range(40) if n % 4))
with open("cal.ics", "w", newline="") as f:
    f.write("BEGIN:VCALENDAR\r\n")
    for n in range(200):
        f.write(f"BEGIN:VEVENT\r\nDTSTART;TZID=Europe/Berlin:202603{n % 28 + 1:02d}T080000\r\nDTEND;TZID=Europe/Berlin:202603{n % 28 + 1:02d}T093000\r\nEND:VEVENT\r\n")
    f.write("END:VCALENDAR\r\n")
expected["calendar"] = "300.0"


def kilometres(a, b):
    lat1, lon1, lat2, lon2 = map(math.radians, (a[1], a[0], b[1], b[0]))
    x = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 12742 * math.asin(math.sqrt(x))


points = [[round(random.uniform(5, 15), 6), round(random.uniform(47, 55), 6)] for _ in range(rows(40_000))]
json.dump({"type": "FeatureCollection", "features": [{"geometry": {"coordinates": p}} for p in points]}, open("places.geojson", "w"))
expected["places"] = str(sum(kilometres(p, (13.405, 52.52)) < 100 for p in points))

# Bank statement MT940 in Latin-1, cents with CR LF, narrow spaces, Windows-1251
credit = 0
with open("mt940.sta", "w", encoding="latin-1", newline="") as f:
    for n in range(rows(3_000)):
        cents, sign = random.randrange(1, 99_999), random.choice("CD")
        credit += cents if sign == "C" else 0
        f.write(f":61:2603{n % 28 + 1:02d}{sign}{cents // 100},{cents % 100:02d}NTRFNONREF\r\n:86:Überweisung {n}\r\n")
expected["mt940"] = euros(credit)
cents_list = [random.randrange(1, 10**7) for _ in range(rows(100_000))]
with open("cents.csv", "w", newline="") as f:
    f.write("id,amount\r\n")
    f.writelines(f"{n},{euros(c)}\r\n" for n, c in enumerate(cents_list))
expected["cents"] = euros(sum(cents_list))
expected["largest"] = euros(max(cents_list))
names = [random.choice(["Anna", "Bob"]) for _ in range(rows(5_000))]
with open("nbsp.csv", "w") as f:
    f.writelines(f"{random.choice(['', chr(160), chr(8239)])}{name}{chr(160)};1{chr(8239)}000\n" for name in names)
expected["spaces"] = f"Anna {names.count('Anna')}"
with open("cyrillic.csv", "w", encoding="windows-1251") as f:
    f.write("Имя;Сумма\n")
    f.writelines(f"Иван{n};{n}\n" for n in range(500))
expected["cyrillic"] = "124750"

# SQLite
spent, february = Counter(), 0
with sqlite3.connect("shop.db") as db:
    db.execute("create table orders(id integer primary key, customer text, ts text, cents integer)")
    db.execute("create table customers(name text primary key, meta text)")
    for n in range(rows(120_000)):
        customer, month, cents = random.randrange(500), random.randrange(1, 13), random.randrange(100, 99_999)
        spent[customer] += cents
        february += cents if month == 2 and customer % 2 else 0
        db.execute("insert into orders values (?, ?, ?, ?)", (n, f"c{customer}", f"2026-{month:02d}-01 10:00:00", cents))
    db.executemany("insert into customers values (?, ?)", [(f"c{n}", json.dumps({"seg": "ab"[n % 2]})) for n in range(500)])
top = max(spent.values())
expected["sql"] = f"{top} {february}"

# Files that programs read by libraries
present = []
try:
    import yaml  # noqa: F401

    present.append("yaml")
except ImportError:
    pass
try:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Ledger"
    sheet.append(["date", "account", "debit"])
    ledger = 0
    for n in range(rows(80_000)):
        account, cents = random.choice(["1200", "1400", "8400"]), random.randrange(1, 10**6)
        ledger += cents if account == "8400" else 0
        sheet.append([datetime.datetime(2025, 1, 1) + datetime.timedelta(days=n % 365), account, cents / 100])
    sheet["E1"] = "=SUM(C2:C9)"
    sheet["E1"].comment = openpyxl.comments.Comment("Auditor: check!", "x")
    hidden = book.create_sheet("Secret")
    hidden["A1"] = 4711
    hidden.sheet_state = "hidden"
    book.save("ledger.xlsx")
    expected["ledger"] = euros(ledger)
    expected["workbook"] = "=SUM(C2:C9)|Auditor: check!|4711|hidden"
    present.append("openpyxl")
except ImportError:
    pass
try:
    import docx

    document = docx.Document()
    for n in range(1, 301):
        document.add_heading(f"Clause {n}", 2)
        document.add_paragraph("The liability cap is EUR 2,500,000 per event." if n == 217 else f"Text of clause {n}.")
    document.save("contract.docx")
    expected["contract"] = "Clause 217: The liability cap is EUR 2,500,000 per event."
    present.append("docx")
except ImportError:
    pass
try:
    import pptx

    deck = pptx.Presentation()
    for n in range(4):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Slide {n + 1}"
        slide.notes_slide.notes_text_frame.text = f"margin {17 + n}%"
    deck.save("deck.pptx")
    expected["deck"] = "Slide 3: margin 19%"
    present.append("pptx")
except ImportError:
    pass
try:
    import pandas

    pandas.DataFrame({"a": range(1000), "b": [n * 0.5 for n in range(1000)]}).to_parquet("data.parquet")
    expected["parquet"] = "499500 249750.0"
    expected["pivot"] = str({k: round(v / 100, 2) for k, v in sorted(by_branch.items())})
    present.append("pandas")
except ImportError:
    pass
try:
    import matplotlib.pyplot
    from PIL import Image

    exif = Image.Exif()
    exif[0x010F] = "Canon"
    Image.new("RGB", (620, 877), "white").save("photo.jpg", exif=exif)
    expected["photo"] = "620 877 Canon"
    with matplotlib.backends.backend_pdf.PdfPages("statement.pdf") as pdf:
        for page in range(3):
            figure = matplotlib.pyplot.figure(figsize=(4, 6))
            for n in range(20):
                figure.text(0.1, 0.95 - n * 0.045, f"R{page * 20 + n:05d} amount {page * 20 + n}.50")
            pdf.savefig(figure)
            matplotlib.pyplot.close(figure)
    expected["pdf"] = f"3 {sum(n + 0.5 for n in range(60))}"
    present.append("matplotlib")
except (ImportError, AttributeError):
    pass

# Old formats that no program of the environment reads
open("old.xls", "wb").write(base64.b64decode("0M8R4KGxGuEAAAAAAAAAAAAAAAAAAAAAPgADAP7/CQAGAAAA") + bytes(2000))
json.dump({"expected": expected, "present": present}, open("expected.json", "w"))
