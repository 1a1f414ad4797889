#: jq selects, maps and makes tables
echo '[{"n":"a","v":1},{"n":"b","v":2}]' > f; jq -r '.[] | select(.v > 1) | .n' f; jq -c 'map(.v *= 10)' f; jq -r '.[] | [.n, .v] | @csv' f; jq -r '(.[0] | keys_unsorted) as $k | $k, (.[] | [.[$k[]]]) | @tsv' f; jq 'length' f; jq -e '.[5]' f; echo $?; jq '.[0]' f
#: jq nested assignments and paths
echo '{}' | jq -c '.a.b[2].c = 1'; echo '{"a":[1,2,3]}' | jq -c '.a[1:] = [9], del(.a[0]), (.a |= map(. + 1)), (.a[] |= . * 2), [paths]'; echo '{"a":{"b":1}}' | jq -c 'path(..), to_entries, getpath(["a","b"]), has("a"), (.a | keys)'
#: jq strings, tests and replacements
jq -nc '"a-b-c" | split("-"), gsub("-"; "+"), test("^a"), [match("[bc]"; "g").offset], capture("(?<x>.)-(?<y>.)"), ltrimstr("a"), ascii_upcase, (. / "-" | join("/")), explode[0:2], @uri, @html, @base64, @sh, .[2:3], length, utf8bytelength, index("c"), sub("(?<l>b)"; "[\(.l)]")'
#: jq numbers and large integers
echo '{"id": 1469812398471234561}' | jq .id; jq -nc '[1/3, 1e3, 1.0, 100000000000000000000, 3.7 | floor], (7 % 3), (-7 % 3), pow(2; 10), (10 | sqrt), ([1, 2] | add / length), infinite, (nan | isnan), 0.1 + 0.2, (5 | tostring), ("5" | tonumber)'
#: jq reduces, folds, groups and walks
jq -nc 'reduce range(5) as $i (0; . + $i), [foreach range(3) as $i (0; . + $i)], ([3, 1, 2] | sort, min, max, add, any(. > 2), all(. > 0), unique), ([{"k": 1, "v": 2}, {"k": 1, "v": 3}] | group_by(.k) | map({k: .[0].k, s: map(.v) | add})), ([1, [2, [3]]] | flatten, flatten(1)), (input? // "none")'; jq -c 'walk(if type == "object" then del(.x) else . end)' <<< '{"x":1,"y":[{"x":2,"z":3}]}'
#: jq dates
jq -nr '0 | todate, (1700000000 | strftime("%Y-%m-%d %H:%M")), ("2024-02-29T12:00:00Z" | fromdate), ("2024-02-29" | strptime("%Y-%m-%d") | mktime), (1700000000.5 | todate)'
#: jq slurps, streams, raw input and arguments
printf '1\n2\n' | jq -s add; printf 'a\nb\n' | jq -R . ; printf 'a\nb\n' | jq -Rsc 'split("\n")'; jq -nc --arg a x --argjson n 5 '{$a, $n}'; jq -nc '$ARGS.positional' --args p q; printf '{"a":1}{"a":2}' | jq -c '[., input]'; jq -nc '[inputs]' <<< '1 2'; jq -c --stream . <<< '{"a":[1]}'; jq -rj '.[]' <<< '["x","y"]'; echo; jq -S -c . <<< '{"b":1,"a":2}'; jq --tab . <<< '[1]'; printf '"x"' > v; jq -nc --slurpfile s v --rawfile r v '$s, $r'
#: jq defines functions, catches errors and limits
jq -nc 'def f(x): x * 2; f(4), (try error("bad") catch "caught \(.)"), (.a?.b? // "d"), [limit(3; range(10))], first(range(5; 9)), [recurse(if . < 3 then . + 1 else empty end)?], ([.[]?] | length), (label $out | 1, break $out, 2), (if null then 1 elif 0 then 2 else 3 end), ("a", "b" | ascii_downcase), input_line_number, ([splits("x")?])'; jq .a <<< '[1]'; echo $?; jq . <<< '{bad'; echo $?; jq -e . <<< null; echo $?
#: jq joins by key, pivots and compares
jq -nc '[{"id":1,"a":"x"},{"id":2,"a":"y"}] as $l | [{"id":2,"b":"z"}] as $r | (INDEX($r[]; .id)) as $i | [$l[] | . + ($i[.id | tostring] // {})], ([$l[].id] - [$r[].id]), ($l | map({(.id | tostring): .a}) | add), ([1, 2] | contains([1])), ([[1, 2], [3, 4]] | transpose), ({"a": {"b": 1}} * {"a": {"c": 2}}), ([1, 2, 3] | .[1:] | first), ([1, 2] | combinations(2))'
#: date computes with months, weeks and leap years
date -u -d '2024-01-31 +1 month' +%F; date -u -d '2024-02-29 -1 year' +%F; date -u -d '2026-11-22 next friday' +%F; date -u -d 'last day 2024-03-01' +%F; date -u -d '2024-03-01 -1 day' +%F; date -u -d '@86400' +%FT%TZ; date -u -d '2026-W05-3' +%F; echo "code $?"; date -u -d '2025-12-29' '+%G-W%V %j %u %a %b'; date -u -d '1970-01-01 00:00:00 +0200' +%s; date -d 'no date'; echo "code $?"
#: date formats
date -u -d '2026-03-07 04:05:06.789' '+%Y%m%d %H%M%S %3N %-d.%-m.%y %I:%M %p %e %k %Z %z %:z %A %B %s %D %R %c'; date -u -d '2026-03-07' -Iseconds; date -u -d '2026-03-07' -R; date -u --rfc-3339=date -d '2026-03-07'
#: date in time zones, at changes to and from summer time
for z in Europe/Berlin America/New_York Asia/Tokyo Asia/Kolkata Australia/Sydney UTC; do TZ=$z date -d @1774747800 '+%F %T %Z %z'; done; TZ=Europe/Berlin date -d '2026-03-29 02:30'; echo "code $?"; TZ=Europe/Berlin date -d '2026-03-29 01:59:59 1 second' '+%T %Z'; TZ=Europe/Berlin date -d '2026-10-25 00:00 +3 hours' '+%T %Z'; TZ=America/Los_Angeles date -d 'TZ="Europe/Paris" 2024-07-14 12:00' +%T
#: differences of dates in days
a=2024-02-27 b=2024-03-02; echo $(((($(date -ud $b +%s) - $(date -ud $a +%s))) / 86400)); for i in 0 1 2 3; do date -ud "$a +$i days" +%d; done | paste -sd' '
#: cal-like loops over months
for m in {01..12}; do date -ud "2024-$m-01 +1 month -1 day" +%d; done | paste -sd' '
#: python computes with decimals, fractions and big integers
python3 -c 'from decimal import *; from fractions import *; print(Decimal("0.1") + Decimal("0.2"), Fraction(1, 3) + Fraction(1, 6), 2**200, round(2.5), round(-3.5), 7 // -2, 7 % -2, 1e22, 0.1 + 0.2, int("ff", 16), (0.1).hex())'
#: python reads from a pipe, arguments and the environment
echo '{"a": [1, 2]}' | python3 -c 'import json, sys; print(sum(json.load(sys.stdin)["a"]), sys.argv[1:])' x 'y z'; V=ü python3 -c 'import os, sys; print(os.environ["V"], sys.stdout.encoding, sys.getfilesystemencoding())'
#: python raises, exits and writes to both outputs in order
python3 -c 'import sys; print("out", flush=True); print("err", file=sys.stderr, flush=True); print("out2", flush=True); sys.exit(3)'; echo $?; python3 -c 'raise ValueError("bad ü")'; echo $?; python3 -c 'import sys; sys.exit("text")'; echo $?; python3 -c 'print(1'; echo $?; python3 -c 'import os; os.abort()' 2> /dev/null; echo $?
#: python handles files, folders and archives
python3 - <<'E'
import pathlib, shutil, tempfile, zipfile, os, glob
p = pathlib.Path("d/e"); p.mkdir(parents=True); (p / "ä.txt").write_text("x\n" * 3, encoding="utf-8")
print(sorted(str(f) for f in pathlib.Path("d").rglob("*")), (p / "ä.txt").stat().st_size)
with zipfile.ZipFile("z.zip", "w") as z: z.write(p / "ä.txt", "n.txt")
print(zipfile.ZipFile("z.zip").namelist()); shutil.rmtree("d"); print(os.path.exists("d"), glob.glob("*.zip"))
with tempfile.TemporaryDirectory() as t: print(os.path.isdir(t))
E
#: python dates, zones and calendars
python3 -c 'from datetime import *; from zoneinfo import ZoneInfo; import calendar; d = datetime(2026, 3, 29, 3, 30, tzinfo=ZoneInfo("Europe/Berlin")); print(d.astimezone(timezone.utc).isoformat(), int(d.timestamp()), (date(2024, 3, 1) - date(2024, 2, 1)).days, date.fromisocalendar(2026, 1, 1), calendar.monthrange(2024, 2), datetime.strptime("5 Feb 2024", "%d %b %Y").date())'
#: python statistics, regular expressions and csv
python3 -c 'import statistics as s, re, csv, io; print(s.mean([1, 2, 4]), s.median([1, 3, 2, 4]), round(s.stdev([1, 2, 4]), 6), s.quantiles(range(1, 11), n=4)); print(re.findall(r"(\w+)@(\w+)\.com", "a@b.com x, ü@d.com"), re.sub(r"(?<!\d)(\d{3})", r"<\1>", "1234 567")); w = io.StringIO(); csv.writer(w).writerow(["a,b", "c\"d", None, 1.5]); print(repr(w.getvalue()))'
#: python runs threads, processes and subprocesses
python3 -c '
import concurrent.futures as f, subprocess, multiprocessing as m
print(sum(f.ThreadPoolExecutor(4).map(lambda x: x * x, range(10))))
if __name__ == "__main__":
    with m.get_context("fork").Pool(2) as p: print(p.map(abs, [-1, 2, -3]))
r = subprocess.run(["sh", "-c", "echo o; echo e >&2; exit 5"], capture_output=True, text=True); print(r)
print(subprocess.run("seq 1000000 | head -2", shell=True, capture_output=True).stdout)'
#: python sqlite3, hashlib, gzip, base64, struct
python3 -c 'import sqlite3, hashlib, gzip, base64, struct, zlib, uuid; c = sqlite3.connect(":memory:"); print(c.execute("select sum(x) from (select 1 x union all select 2)").fetchone(), hashlib.sha256(b"x").hexdigest()[:12], gzip.decompress(gzip.compress(b"abc")), base64.b64encode(b"\xff\x00"), struct.pack("<IH", 1, 2), zlib.crc32(b"a"), uuid.uuid5(uuid.NAMESPACE_DNS, "a.b"))'
#: python numpy and pandas when the environment has them
python3 -c 'import numpy' 2> /dev/null || { echo none; exit; }; python3 -c '
import numpy as np, pandas as pd
print(np.linalg.det(np.array([[1., 2.], [3., 4.]])).round(6), np.percentile([1, 2, 3, 4], 50), np.int64(2**62))
d = pd.DataFrame({"k": list("aba"), "v": [1, 2, 3]}); print(d.groupby("k").v.sum().to_dict()); print(d.to_csv(index=False))'
#: perl one-liners
perl -pe 's/(\d+)/$1*2/e' <<< 'a 21 b'; perl -lane 'print $F[1]' <<< 'x y z'; perl -0777 -ne 'print scalar(() = /\n/g), "\n"' <<< $'a\nb'; perl -MList::Util=sum -e 'print sum(1..10), "\n"'; perl -e 'printf "%.3f\n", 2/3; exit 4'; echo $?
#: env, nproc-free facts and locale
echo "$HOME $LANG"; locale | grep -E 'LC_ALL|LC_CTYPE'; getconf LONG_BIT; uname -s; tty; [ -t 0 ] || echo 'no terminal'; echo "${TERM-no TERM}" | head -c 30 | wc -l
#: id and hostname do not fail
id -u | wc -l; hostname > /dev/null && echo ok; uname -m
#: expr, dc-free checks, true, false, yes, nohup and nice
expr 3 + 4; expr abc : 'a\(.\)'; expr length hello; expr 1 = 2; echo $?; yes x | head -3 | tr -d '\n'; echo; nice -n 5 echo kind; nohup echo kept 2> /dev/null; sh -c 'echo $0 $1' name arg; env -i X=1 env; stdbuf -oL echo buffered
#: sleep, time and SECONDS are numbers
s=$SECONDS; sleep 0.01; ((SECONDS - s < 60)) && echo ok; TIMEFORMAT=x; time true; [[ $EPOCHSECONDS -gt 1700000000 ]] && echo later; [[ $RANDOM =~ ^[0-9]+$ ]] && echo number
#: mkfifo connects two programs
mkfifo p; (seq 3 > p) & cat p; wait; [[ -p p ]] && echo fifo; rm p
#: flock lets one program work at a time
for i in 1 2 3 4 5; do (flock 9; n=$(cat n 2> /dev/null || echo 0); sleep 0.01; echo $((n + 1)) > n) 9> lock & done; wait; cat n
#: a report with here-document, column and totals
cat > s.csv <<E
item,qty,price
Apple,3,0.25
Pear,10,1.10
E
{ echo "Item Total"; tail -n +2 s.csv | while IFS=, read -r i q p; do echo "$i $(bc <<< "$q * $p")"; done; } | column -t; awk -F, 'NR > 1 { t += $2 * $3 } END { printf "%.2f\n", t }' s.csv
#: an access log by hour, status and percentile
for i in $(seq 1 200); do echo "10.0.0.$((i % 7)) [22/Nov/2026:$(printf %02d $((i % 24))):00:00] \"GET /$i\" $((i % 9 ? 200 : 502)) $((i * 37 % 101))"; done > log
awk '{ print $4 }' log | cut -c1-3 | sort | uniq -c; grep -oE ':[0-9]{2}:00:00' log | cut -c2-3 | sort | uniq -c | sort -rn | head -2; awk '{ print $NF }' log | sort -n | awk '{ v[NR] = $1 } END { print v[int(NR * .95)], v[int(NR / 2)] }'; cut -d' ' -f1 log | sort | uniq -c | sort -k1,1nr -k2 | head -3; sed -n 's/.*"GET \([^"]*\)" 502.*/\1/p' log | tail -1
#: a configuration file read line by line
printf '# comment\nkey = value with = sign\n\n[section]\n name=x \n' > c.ini; while IFS='=' read -r k v; do [[ $k =~ ^[[:space:]]*(#|\[|$) ]] && continue; k=$(xargs <<< "$k"); echo "$k -> $(sed 's/^ *//; s/ *$//' <<< "$v")"; done < c.ini; awk -F' *= *' '/^\[/ { s = $0 } /name/ { print s, $2 }' c.ini
#: rename many files by pattern
touch IMG_{1..3}.JPG; for f in *.JPG; do mv "$f" "$(tr A-Z a-z <<< "${f%.JPG}")_$(printf %03d "$(grep -o '[0-9]*' <<< "$f")").jpg"; done; ls
#: find duplicates by content
mkdir d; echo same > d/1; echo same > d/2; echo other > d/3; find d -type f -exec md5sum {} + | sort | uniq -w32 -D | awk '{ print $2 }'
#: retries with back-off and a lock folder
n=0; until ((n++ >= 3)) && true; do sleep 0.01; done; echo $n; mkdir lock && echo got; mkdir lock 2> /dev/null || echo busy; rmdir lock; try() { for i in 1 2 3; do "$@" && return; done; return 1; }; try false; echo $?; try true; echo $?
#: INI, env files and templates by envsubst-free sed
export NAME=World; sed "s/{{NAME}}/$NAME/g" <<< 'Hello {{NAME}}'; set -a; . <(printf 'A=1\nB="two words"\n'); set +a; bash -c 'echo $A $B'; eval "cat <<E
$(echo 'Dear $NAME')
E"
#: JSON to CSV to SQL and back
echo '[{"a":1,"b":"x,y"},{"a":2,"b":"q\"r"}]' | jq -r '(["a","b"]), (.[] | [.a, .b]) | @csv' > t.csv; cat t.csv; sqlite3 :memory: '.import --csv t.csv t' -json 'select * from t' 2> /dev/null || sqlite3 -json :memory: '.import --csv t.csv t' 'select * from t'; python3 -c 'import csv, json; print(json.dumps(list(csv.DictReader(open("t.csv")))))'
#: XML with python, HTML with sed
echo '<r><i n="1">a</i><i n="2">b &amp; c</i></r>' > x.xml; python3 -c 'import xml.etree.ElementTree as e; print([(i.get("n"), i.text) for i in e.parse("x.xml").iter("i")])'; grep -oP '(?<=<i n="2">)[^<]+' x.xml
#: node runs scripts when the environment has it
command -v node > /dev/null || { echo 'no node'; exit; }; node -e 'console.log([3, 1, 2].sort(), 2 ** 53, process.argv.length); process.exitCode = 6'; echo $?; echo 'a b' | node -e 'process.stdin.on("data", (d) => console.log(String(d).split(" ").length))'; node -e 'throw new Error("x")' 2> /dev/null; echo $?
#: pdftotext reads a PDF that python wrote
command -v pdftotext > /dev/null || { echo none; exit; }; python3 - <<'E'
objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>", "<</Length 41>>stream\nBT /F 12 Tf 20 100 Td (Total 42.50) Tj ET\nendstream", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
out = b"%PDF-1.4\n"; at = []
for n, o in enumerate(objects, 1): at.append(len(out)); out += f"{n} 0 obj\n{o}\nendobj\n".encode()
x = len(out); out += f"xref\n0 {len(at) + 1}\n0000000000 65535 f \n".encode() + b"".join(f"{a:010d} 00000 n \n".encode() for a in at) + f"trailer<</Size {len(at) + 1}/Root 1 0 R>>\nstartxref\n{x}\n%%EOF\n".encode()
open("a.pdf", "wb").write(out)
E
pdftotext a.pdf - | head -1; pdfinfo a.pdf | grep Pages
#: openssl hashes and encodes
command -v openssl > /dev/null || { echo none; exit; }; printf x | openssl dgst -sha256 | sed 's/.*= //'; printf secret | openssl enc -aes-256-cbc -pbkdf2 -pass pass:k -S 0102030405060708 -base64 | wc -c; openssl rand -hex 4 | wc -c
#: curl has no network and says so
curl -sS --max-time 2 http://127.0.0.1:9/ 2>&1 | sed -E 's/after [0-9]+ ms/after N ms/; s/Could not|Couldn.t/Could not/'; echo "${PIPESTATUS[0]}"
