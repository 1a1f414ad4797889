#: find by name, type, size, depth and time
mkdir -p a/b/c; touch a/1.txt a/b/2.TXT a/b/c/3.md; head -c 2000 /dev/zero > a/big; find a -name '*.txt' | sort; find a -iname '*.txt' | sort; find a -type d | sort; find a -type f -size +1k; find a -maxdepth 1 -type f | sort; find a -empty -type f | sort; find a -mindepth 2 ! -name '*.md' -type f; find a -newer a/1.txt -name nothing; find a -path '*/b/*' -name '3*'
#: find with exec, delete, prune and printf
mkdir -p p/skip; touch p/x p/y p/skip/z; find p -type f -exec basename {} \; | sort; find p -name skip -prune -o -type f -print | sort; find p -type f -printf '%f %s %d\n' | sort; find p -name y -delete; find p -type f -exec echo {} + | tr ' ' '\n' | sort; find p -regex '.*/[xz]' | sort; find no-such; echo "code $?"
#: xargs splits, replaces, quotes and runs in parallel
seq 5 | xargs -n2; echo a b | xargs -I{} echo '<{}>'; printf 'x y\0z\0' | xargs -0 -n1 echo; seq 4 | xargs -P4 -I{} sh -c 'echo $(({} * 2))' | sort -n; xargs -r echo none < /dev/null; printf "a 'b c' d\n" | xargs -n1; echo 1 | xargs sh -c 'exit 3'; echo $?; echo 1 | xargs sh -c 'exit 255'; echo $?; seq 3 | xargs -d '\n' -L1 echo L
#: names with blanks, dashes, line ends and accents
touch -- 'a b' '-n' $'new\nline' 'äö' '*' "q'uote" '$x'; ls -1 | od -c | tail -3; for f in ./*; do printf '%q\n' "$f"; done; find . -name '* *' -print0 | xargs -0 rm; ls | wc -l; rm -- -n; rm ./\*; ls | head -2
#: ls sorts, sizes and dates
touch -d 2024-01-02T03:04:05Z old; touch -d 2025-01-01T00:00:00Z new; head -c 1500 /dev/zero > big; TZ=UTC ls -l --time-style=full-iso old | cut -d' ' -f5-; ls -t old new; ls -S big old; ls -1d */ 2>&1; ls -lh big | awk '{ print $5 }'; ls -a | head -2; ls -F; ls --sort=size -r big new
#: stat, touch, chmod and test of modes
touch f; chmod 640 f; stat -c '%a %A %s %F %h' f; chmod u+x,g-r f; stat -c %a f; chmod -R a+rX .; touch -d '2020-02-02 02:02:02 UTC' f; stat -c %Y f; TZ=UTC date -r f +%F; mkdir -m 700 d; stat -c %a d; truncate -s 10K f; stat -c %s f; chmod 999 f; echo "code $?"
#: cp, mv, rm, ln and their answers
echo 1 > a; cp a b; cp -p a c; mkdir d; cp a b d; cp -r d e; mv b d/z; mv -n a c; ls d e; rm -r d; rm no-such; echo $?; rm -f no-such; echo $?; ln -s a l; readlink l; cat l; ln a h; stat -c %h a; cp -u a c; mv a x/y; echo $?; rmdir e; echo $?; cp -v a k; cp no-such k; echo $?; ln -sf nowhere l; cat l; echo $?
#: realpath, dirname, basename and mktemp
mkdir -p a/b; realpath --relative-to=a a/b/../b; dirname /x/y.z /q; basename /x/y.z .z; basename -a a/1 b/2; t=$(mktemp); [[ -f $t ]] && echo made; d=$(mktemp -d); [[ -d $d ]] && echo made; stat -c %a "$t" "$d"; mktemp -u XXXX | wc -c; realpath -e nothing; echo $?
#: tar packs, lists, unpacks and compresses
mkdir -p s/t; echo 1 > s/a; echo 2 > s/t/b; tar --sort=name --owner=0 --group=0 --mtime=@0 -czf x.tgz s; tar tzf x.tgz; mkdir o; tar xzf x.tgz -C o --strip-components=1; cat o/a o/t/b; tar -C s -cf - . | tar tf - | sort; TZ=UTC tar tvf x.tgz | awk '{ print $1, $3, $4, $6 }'; tar xOf x.tgz s/a; tar cJf x.txz s && tar tf x.txz | wc -l; tar --exclude='t' -cf e.tar s; tar tf e.tar; tar xf no.tar; echo $?
#: tar gives the same bytes each time
mkdir s; echo 1 > s/a; chmod 644 s/a; chmod 755 s; tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --format=ustar -cf x.tar s; sha256sum x.tar
#: gzip, zcat, xz, bzip2 and their tests
seq 100 > f; gzip -k f; zcat f.gz | tail -1; gzip -t f.gz && echo good; xz -k f; xzcat f.xz | wc -l; bzip2 -k f; bzcat f.bz2 | head -1; zgrep -c 7 f.gz; gunzip -c f.gz | cmp - f && echo same; echo bad > b.gz; gunzip b.gz; echo $?; gzip -l f.gz | awk 'NR == 2 { print $2 }'; zcat f.gz f.gz | wc -l
#: zip and unzip, with folders and one member
mkdir d; echo hi > d/a.txt; echo there > d/b.txt; zip -qr x.zip d; unzip -Z1 x.zip | sort; unzip -p x.zip d/a.txt; mkdir o; unzip -qo x.zip -d o; cat o/d/b.txt; unzip -l x.zip | tail -1 | awk '{ print $2 }'; zip -q x.zip d/a.txt -d; unzip -Z1 x.zip | wc -l; unzip -t x.zip > /dev/null; echo $?; unzip no.zip; echo $?
#: sqlite imports, joins, groups and windows
printf 'id,city,n\n1,Rome,5\n2,Oslo,7\n3,Rome,9\n' > t.csv; sqlite3 x.db '.import --csv t.csv t' 'select city, sum(n) from t group by 1 order by 1'; sqlite3 -header -csv x.db 'select *, rank() over (order by n desc) r from t order by id'; sqlite3 x.db "select printf('%.2f', avg(n)), group_concat(city, '+'), max(id) from t"; sqlite3 -json x.db 'select id from t limit 1'; sqlite3 x.db .schema
#: sqlite dates, JSON, common tables and errors
sqlite3 :memory: "select date('2024-01-31', '+1 month'), strftime('%s', '2020-01-01'), julianday('2000-01-01')"; sqlite3 :memory: "select json_extract('{\"a\":[1,2]}', '\$.a[1]'), json_group_array(value) from json_each('[3,4]')"; sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 5) select sum(x) from c'; sqlite3 :memory: 'select * from none'; echo $?; sqlite3 :memory: 'select 9007199254740993, 1/2, 1.0/3, 0.1+0.2'
#: sqlite modes and transactions in a script
sqlite3 :memory: <<'E'
.mode box
create table t(a, b); insert into t values (1, 'x'), (2, null);
select * from t;
.mode markdown
.nullvalue NULL
select * from t;
begin; delete from t; rollback; select count(*) from t;
E
#: dd copies blocks and seeks
seq 1000 > f; dd if=f bs=10 count=2 2> /dev/null; dd if=f bs=1 skip=5 count=3 status=none; dd if=/dev/zero of=s bs=1 count=0 seek=1M status=none; stat -c %s s; dd if=no of=x 2>&1 | head -1
#: du and df count what is there
mkdir d; head -c 10000 /dev/zero > d/f; du -b d/f; du -sb d/f | cut -f1; df . > /dev/null; echo $?; du -a --apparent-size -B1 d | cut -f2 | sort
#: sparse files and holes
truncate -s 100M s; stat -c '%s' s; head -c 1 s | od -An -tx1; printf x | dd of=s bs=1 seek=50M conv=notrunc status=none; tail -c +52428801 s | head -c 1; echo; cp --sparse=always s t; cmp s t && echo same
#: file names its types
printf '%%PDF-1.4\n' > p; printf '\x89PNG\r\n\x1a\n' > g; echo text > t; printf '{"a":1}' > j; gzip < t > z; file -b p t j | head -3; file --mime-type -b p t z; file -b g
#: git makes commits, diffs and logs
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'; git init -q -b main r; cd r; echo 1 > f; git add f; git commit -qm one; echo 2 >> f; git diff | tail -3; git commit -qam two; git log --format='%h %s %ad' --date=short; git show --stat --format=%s | head -3; git checkout -qb x HEAD~1; cat f; git merge -q main; cat f; git status --short; git blame f | cut -d' ' -f1 | uniq | wc -l
#: git diff without a repository, and apply
printf 'a\nb\n' > x; printf 'a\nc\n' > y; git diff --no-index --no-color x y | tail -4; echo "code ${PIPESTATUS[0]}"; git diff --no-index --stat x y
#: ripgrep like grep, with types and JSON
command -v rg > /dev/null || { echo 'no rg'; exit; }; mkdir d; echo 'hit 1' > d/a.py; echo 'hit 2' > d/b.txt; rg --sort path hit d; rg -c --sort path hit d; rg -tpy -n hit d; rg -o '\d' --no-filename --sort path d; rg none d; echo $?; rg -U 'hit\s+1' d; rg -F 'hit 2' -l d
