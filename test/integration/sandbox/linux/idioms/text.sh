#: awk sums by group in a fixed order
printf 'a 3\nb 4\na 5\n' | awk '{ s[$1] += $2 } END { for (k in s) print k, s[k] }' | sort
#: awk joins two files by key
printf '1,Ann\n2,Bob\n' > names; printf '2,30\n1,41\n3,7\n' > ages
awk -F, 'NR == FNR { name[$1] = $2; next } { print ($1 in name ? name[$1] : "-"), $2 }' names ages
#: awk -v OFS rebuilds the record
printf 'a,b,c\n' | awk -F, -v OFS=';' '{ $1 = $1; print; $5 = "e"; print; print NF }'
#: awk counts words by length
tr -s ' ' '\n' <<< 'one two three four five six' | awk '{ n[length($0)]++ } END { for (i = 1; i < 9; i++) if (n[i]) print i, n[i] }'
#: awk paragraphs with RS=""
printf 'x 1\ny 2\n\nz 3\n' | awk 'BEGIN { RS = ""; FS = "\n" } { print NR ": " $1 " / " NF }'
#: awk regular expression as RS, with RT
printf 'a1b22c' | awk 'BEGIN { RS = "[0-9]+" } { print $0 "|" RT }'
#: awk getline from a file and from a command
printf 'l1\nl2\n' > f
awk 'BEGIN { while ((getline line < "f") > 0) n++; print n; "echo from-command" | getline x; print x }'
#: awk rounds as C does
awk 'BEGIN { printf "%.0f %.0f %.0f %.2f %.3e %g %g\n", 0.5, 1.5, 2.5, 1.005, 12345.678, 1e6, 1e-5 }'
#: awk prints a large sum whole with %d
awk 'BEGIN { for (i = 0; i < 1000; i++) s += 4294967296; print s; printf "%d\n", s; print 2^53, 2^53 + 1 }'
#: awk splits with a pattern and keeps the separators
awk 'BEGIN { n = split("a1b22c", p, /[0-9]+/, s); print n, p[1] p[2] p[3], s[1] "," s[2] }'
#: awk arrays of arrays
awk 'BEGIN { a["x"]["y"] = 1; a["x"]["z"] = 2; n = asorti(a["x"], k); print n, k[1], k[2] }'
#: awk deletes duplicates and keeps the order
printf 'b\na\nb\nc\na\n' | awk '!seen[$0]++'
#: awk printf with a field of variable width
awk 'BEGIN { printf "[%*d] [%-*s] [%.*f]\n", 6, 42, 5, "ab", 2, 3.14159 }'
#: awk functions change arrays of the caller
awk 'function fill(a, n) { for (; n > 0; n--) a[n] = n * n } BEGIN { fill(q, 3); print q[1] q[2] q[3] }'
#: awk exits with its own code
awk 'BEGIN { exit 3 } END { print "end" }'; echo "code $?"
#: awk reports a syntax error
awk '{ print $1' < /dev/null; echo "code $?"
#: awk strtonum and bit functions
awk 'BEGIN { print strtonum("0x1F"), strtonum("017"), and(12, 10), or(12, 10), xor(12, 10), lshift(1, 10) }'
#: awk mktime and strftime in UTC
TZ=UTC awk 'BEGIN { t = mktime("2024 02 29 12 00 00"); print t, strftime("%A %d %B %Y %H:%M", t) }'
#: awk prints columns by their names
printf 'id,amount,city\n1,5,Rome\n2,7,Oslo\n' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { print $c["city"], $c["amount"] }'
#: awk computes mean, median and deviation
seq 1 9 | awk '{ v[NR] = $1; s += $1; q += $1 * $1 } END { m = s / NR; printf "%.2f %d %.4f\n", m, v[int((NR + 1) / 2)], sqrt(q / NR - m * m) }'
#: awk transposes a table
printf '1 2 3\n4 5 6\n' | awk '{ for (i = 1; i <= NF; i++) r[i] = r[i] (NR > 1 ? " " : "") $i } END { for (i = 1; i <= 3; i++) print r[i] }'
#: awk ranges of lines by pattern and number
seq 1 20 | awk 'NR == 3, NR == 5; /^1[89]$/'
#: awk writes to several files and closes them
printf 'a 1\nb 2\na 3\n' | awk '{ print $2 > ("out-" $1) }'; head out-a out-b
#: awk pads dates and times
awk 'BEGIN { printf "%04d-%02d-%02dT%02d:%02d\n", 2026, 3, 7, 4, 5 }'
#: awk substr, index, toupper with accents
awk 'BEGIN { s = "Größe"; print length(s), substr(s, 3, 2), index(s, "ß"), toupper("äé"), tolower("ÄÉ") }'
#: awk ignores case
printf 'Error\nerror\nok\n' | awk 'BEGIN { IGNORECASE = 1 } /ERROR/ { n++ } END { print n }'
#: awk compares strings and numbers
printf '10 9\nabc abd\n1e2 100\n' | awk '{ print ($1 < $2), ($1 == $2) }'
#: sed edits in place with a backup
printf 'one\ntwo\n' > f; sed -i.bak 's/two/zwei/' f; cat f f.bak
#: sed deletes between markers
printf 'a\nBEGIN\nb\nEND\nc\n' | sed '/BEGIN/,/END/d'
#: sed prints between markers without them
printf 'a\nBEGIN\nb\nEND\nc\n' | sed -n '/BEGIN/,/END/{//!p}'
#: sed groups, alternatives and backward references
sed -E 's/([0-9]{2})\.([0-9]{2})\.([0-9]{4})/\3-\2-\1/g' <<< 'from 24.12.2025 to 01.01.2026'
#: sed changes the case
sed -E 's/\b(.)/\u\1/g; s/(world)/\U\1\E!/I' <<< 'hello big world'
#: sed joins continued lines
printf 'a \\\nb\nc\n' | sed -e ':x' -e '/\\$/{N;s/\\\n//;bx' -e '}'
#: sed numbers, appends, inserts and replaces
seq 1 4 | sed -e '2i\before two' -e '3a\after three' -e '4c\four' -e '1s/$/!/'
#: sed writes matching lines to a file
seq 1 5 | sed -n -e '/[24]/w even' -e '$='; cat even
#: sed translates characters
sed 'y/abc/xyz/' <<< 'aabbcc dd'
#: sed works on null-separated records
printf 'a\0b\0' | sed -z 's/^/<>/' | tr '\0' '\n'
#: sed prints the first match and quits
seq 10 99 | sed -n '/7$/{p;q}'; seq 1 100 | sed -n '$p;10q;5p'
#: sed keeps special characters of the replacement
sed 's/x/[&]\&\//' <<< 'axb'; sed 's,/usr,\n,g' <<< '/usr/usr'
#: sed counts the n-th match, and address steps
sed 's/o/0/3' <<< 'foo boo'; seq 1 10 | sed -n '0~3p'; seq 1 10 | sed '2,+2d;8,$d'
#: sed reports an unknown command with its code
sed 'k' <<< x; echo "code $?"
#: sed removes HTML tags and squeezes blanks
sed -E 's/<[^>]*>//g; s/[[:space:]]+/ /g; s/^ | $//g' <<< ' <p>Hello   <b>you</b></p>  '
#: grep counts, numbers and names
printf 'a\nb\nab\n' > f; grep -c a f; grep -n b f; grep -H a f; grep -L z f; grep -l a f
#: grep with Perl expressions
grep -oP '(?<=price: )\d+(?= EUR)' <<< 'price: 42 EUR, price: 17 USD, price: 9 EUR'; grep -oP '"\K[^"]+(?=")' <<< 'a "b c" d'
#: grep with context
seq 1 9 | grep -A1 -B1 5; seq 1 20 | grep -C1 -m2 '[5]$'
#: grep exit codes
grep -q x <<< x; echo $?; grep -q y <<< x; echo $?; grep x no-file; echo $?; grep -s x no-file; echo $?
#: grep words, lines, fixed strings and patterns from a file
printf 'foo\nfoo.bar\nfoobar\n' > f; grep -w foo f; grep -x foo f; grep -F . f; printf 'bar\n' | grep -f - f
#: grep recursive with globs
mkdir -p d/e; echo hit > d/a.txt; echo hit > d/e/b.md; grep -rl hit d | sort; grep -r --include='*.md' hit d; grep -rc hit d | sort
#: grep of a binary file
printf 'a\0hit\n' > b; grep hit b; grep -a hit b | tr '\0' '.'; grep -c hit b
#: grep back references and intervals
grep -E '^(.)(.).?\2\1$' <<< $'anna\nradar\nabcd'; grep -E 'o{2,}' <<< $'foo\nbar\nfooo'
#: grep -o with several matches a line and offsets
grep -ob '[0-9]\+' <<< 'a1bb22ccc333'
#: sort by several keys
printf 'b,2,x\na,10,y\na,9,z\n' | sort -t, -k1,1 -k2,2n; echo --; printf 'b,2\na,10\n' | sort -t, -k2,2nr
#: sort versions, human sizes, months and general numbers
printf 'v1.10\nv1.9\nv1.2\n' | sort -V; printf '2K\n1M\n900\n' | sort -h; printf 'mar\nJAN\nfeb\n' | sort -M; printf '1e3\n5\n-2.5\n' | sort -g
#: sort is in byte order
printf 'b\nA\na\nB\nä\nZ\n' | sort; printf 'b\nA\na\nB\n' | sort -f
#: sort -u by a key keeps the first, -c checks
printf 'a 1\nb 1\nc 2\n' | sort -u -k2,2; printf 'b\na\n' | sort -c; echo "code $?"
#: sort merges and writes to its own input
printf '1\n3\n' > a; printf '2\n4\n' > b; sort -m a b -o a; cat a; sort -r -o a a; head -1 a
#: sort blanks and dictionary order
printf ' b\na\n  c\n' | sort -b -k1,1; printf 'a-c\nab\na.b\n' | sort -d
#: uniq counts, doubles, singles
printf 'a\na\nb\nc\nc\n' > f; uniq -c f; uniq -d f; uniq -u f; printf 'A\na\n' | uniq -i; printf '1 x\n2 x\n' | uniq -f1; printf 'ab1\nab2\n' | uniq -w2
#: join inner, outer and formatted
printf '1 a\n2 b\n4 d\n' > l; printf '1 x\n3 y\n4 z\n' > r; join l r; join -a1 -a2 -e - -o 0,1.2,2.2 l r; join -v2 l r
#: join by other fields and separators
printf 'x,1\ny,2\n' > l; printf '1,one\n2,two\n' > r; join -t, -1 2 -2 1 l r
#: join reports unsorted input
printf '2 a\n1 b\n' > l; printf '1 x\n2 y\n' > r; join l r; echo "code $?"
#: cut by bytes, characters, fields and complement
cut -c2-4 <<< abcdef; cut -d: -f1,3- --output-delimiter=- <<< a:b:c:d; cut -f2 --complement -d, <<< a,b,c; cut -d, -f2 -s <<< $'a,b\nnone'
#: cut counts bytes of accents
cut -b1-3 <<< 'äbc' | od -An -tx1
#: paste in columns and in a line
printf '1\n2\n' > a; printf 'x\ny\nz\n' > b; paste a b; paste -d, b a; paste -sd+ b; seq 6 | paste - - -
#: tr classes, ranges, squeeze, delete, complement
tr 'a-z' 'A-Z' <<< 'hello'; tr -s ' ' <<< 'a   b'; tr -d '[:punct:]' <<< 'a.b,c!'; tr -cs '[:alnum:]' '\n' <<< 'one, two; three'
#: comm of two lists
printf 'a\nb\nc\n' > x; printf 'b\nc\nd\n' > y; comm x y; comm -12 x y; comm -3 x y; comm --total -123 x y
#: diff unified, brief and side by side
printf 'a\nb\nc\n' > x; printf 'a\nB\nc\nd\n' > y; diff x y; echo $?; diff -u --label x --label y x y; diff -q x y; diff -y -W 20 x y
#: diff of folders
mkdir p q; echo 1 > p/same; echo 1 > q/same; echo a > p/only; echo b > p/c; echo B > q/c; diff -r p q; diff -rq p q
#: patch applies and reverses
printf 'a\nb\n' > f; printf 'a\nc\n' > g; diff -u f g > p.diff; patch -s f p.diff; cat f; patch -R -s f p.diff; cat f
#: head and tail with negative numbers and bytes
seq 5 > f; head -n -2 f; tail -n +4 f; head -c 3 f; tail -c 2 f; head -n1 f f; tail -qn1 f f
#: wc of lines, words, bytes, characters and the longest line
printf 'äb c\nd' > f; wc -l < f; wc -w < f; wc -c < f; wc -m < f; wc -L < f; wc f f
#: nl, cat -A, tac, rev, fold, fmt, expand
printf 'a\n\nb\tc\n' > f; nl f; cat -A f; cat -n f; tac f; rev <<< abc; fold -w3 <<< abcdefgh; fold -s -w 8 <<< 'the quick brown'; expand -t4 f
#: column aligns a table
printf 'name,n\nalpha,1\nb,22\n' | column -s, -t
#: split by lines and bytes, csplit by pattern
seq 10 > f; split -l 4 f p-; wc -l p-*; split -n l/2 -d f q-; ls q-*; csplit -s -z f /5/ '{*}'; ls xx*
#: tee writes and passes on
echo hi | tee a b; cat a b; echo more | tee -a a > /dev/null; cat a
#: shuf with a fixed source keeps all lines
seq 20 > f; shuf f | sort -n | cmp - f && echo same; shuf -i 1-5 | sort | paste -sd' '; shuf -n0 f
#: tsort and factor, seq formats
printf 'a b\nb c\n' | tsort; factor 360 97; seq -w 8 10; seq -s, 0 0.5 2; seq -f 'n%03g' 2; seq 3 -1 1
#: numfmt converts sizes
numfmt --to=iec 1536 1048576; numfmt --from=iec 2K; numfmt --to=si --format='%.2f' 123456; echo '1 2048' | numfmt --field=2 --to=iec
#: od, xxd and hexdump agree
printf 'AB\n' | od -An -tx1; printf 'AB\n' | od -c; printf 'AB\n' | xxd -p; printf '4142' | xxd -r -p
#: base64, md5sum, sha256sum, cksum
printf hello | base64; echo aGVsbG8= | base64 -d; echo; printf hello | md5sum; printf hello | sha256sum; printf hello | cksum; printf hello > f; sha1sum f > s; sha1sum -c s
#: iconv between encodings
printf 'M\374ller' | iconv -f latin1 -t utf-8; echo; printf 'é' | iconv -f utf-8 -t utf-16le | od -An -tx1; iconv -f utf-8 -t ascii//TRANSLIT <<< 'naïve'; printf '\377' | iconv -f utf-8 -t utf-16; echo "code $?"
#: strings that are not UTF-8 pass through
printf 'a\377b\n' | cut -c1- | od -An -tx1; printf 'a\377b\n' | sed 's/b/c/' | od -An -tx1; printf '\377\n' | wc -m
#: look at CSV with quotes by Python
printf 'a,"b, c",d\n' | python3 -c 'import csv, sys; print(next(csv.reader(sys.stdin))[1])'
#: cmp finds the first difference
printf 'abc' > x; printf 'abd' > y; cmp x y; echo $?; cmp -l x y; cmp -s x x; echo $?
#: printf repeats its format and escapes
printf '%s=%d\n' a 1 b 2; printf '%b' 'x\ty\n'; printf '%q\n' "a b'c"; printf '%05.1f|%x|%o|%X|%#x|%e\n' 3.14159 255 8 255 255 12345; printf '%-8s|%8s|\n' ab cd; printf '%c%c\n' abc xyz; printf '%s\n'; printf '%d\n' 0x1f 010 "'A"
#: printf reports bad numbers
printf '%d\n' abc; echo "code $?"; printf '%d\n' 99999999999999999999; echo "code $?"
#: echo -e and -n
echo -e 'a\tb\x41\u00e9'; echo -n x; echo; echo '-e' a; echo -E 'a\tb'
