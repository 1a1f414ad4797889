#: arithmetic is of 64 bits and wraps
echo $((2**62)) $((2**63)) $((9223372036854775807 + 1)) $((-7 / 2)) $((-7 % 3)) $((7 & ~2)) $((1 << 40)) $((0x1F + 017 + 2#101))
#: arithmetic assigns, compares and chains
x=5; ((x += 3, x *= 2)); echo $x $((x > 10 ? 1 : 0)) $((x++)) $x $((--x)); ((0)); echo $?; ((5)); echo $?; let 'y = x ** 2'; echo $y
#: division by zero and bad numbers fail
echo $((1 / 0)); echo "code $?"; (echo $((08))); echo "code $?"
#: bc computes with a scale
echo 'scale=10; 4*a(1)' | bc -l; echo '2^100' | bc; echo 'scale=2; 10/3' | bc; echo 'obase=16; 255' | bc; echo 'ibase=2; 1011' | bc; echo 'sqrt(2)' | bc -l; echo '1/0' | bc; echo 'if (3 > 2) 1 else 0' | bc
#: arrays grow, shrink, slice and search
a=(x y z); a+=(w); unset 'a[1]'; echo "${#a[@]} ${!a[@]} ${a[@]:1:2} ${a[-1]}"; a[9]=q; echo "${!a[*]}"; b=("${a[@]}"); echo "${b[1]}"
#: arrays keep words with blanks
a=('one two' three); for w in "${a[@]}"; do echo "<$w>"; done; echo "${a[*]}"; IFS=,; echo "${a[*]}"; printf '%s;' "${a[@]/o/0}"; echo
#: associative arrays count
declare -A n; while read -r w; do n[$w]=$((${n[$w]:-0} + 1)); ((n[all]++)); done < <(printf 'a\nb\na\n'); for k in "${!n[@]}"; do echo "$k=${n[$k]}"; done | sort; [[ -v n[a] ]] && echo set; unset 'n[a]'; [[ -v n[a] ]] || echo unset
#: mapfile reads lines and callbacks
mapfile -t l < <(seq 3); echo "${#l[@]} ${l[2]}"; mapfile -d , -t c <<< 'p,q'; echo "${c[0]}"; readarray -n 2 -s 1 -t m < <(seq 9); echo "${m[*]}"
#: expansions cut, replace and default
p=/a/b.tar.gz; echo ${p##*/} ${p%/*} ${p%.*} ${p%%.*} ${p#*.} ${p/b/B} ${p//a/_} ${p/#\//} ${p/%gz/zip} ${#p}; unset u; echo "${u:-d} ${u-e} ${u:+f} ${p:+g} ${p:0:2} ${p: -3} ${u:=h} $u"
#: expansions change the case and quote
s='hello World'; echo "${s^} ${s^^} ${s,,} ${s~~} ${s@Q} ${s@U} ${s@u}"; t=$'a\nb'; echo "${t@Q}"; declare -i n=5; echo "${n@A}"
#: indirect names and references
x=y; y=z; echo ${!x}; declare -n r=y; r=new; echo $y; pre_a=1 pre_b=2; echo ${!pre_*}; f() { local -n o=$1; o=done; }; f res; echo $res
#: an unset variable with ? and -u fails
(: "${nothing:?is needed}"); echo "code $?"; (set -u; echo "$nothing"); echo "code $?"; (set -u; echo "${nothing-ok}")
#: braces and globs expand
echo {1..5} {a..c}{1,2} {01..03} {10..2..4} x{,.bak}; mkdir g; touch g/a.txt g/b.md g/.hidden; echo g/*; echo g/*.xyz; shopt -s nullglob dotglob extglob
echo g/*.xyz .; echo g/*; echo g/!(*.md); shopt -s globstar; mkdir -p g/s; touch g/s/c.txt; echo g/**/*.txt
#: case with patterns and fall-through
for x in apple 42 Zed ''; do case $x in [0-9]*) echo number ;; a*|b*) echo ab ;;& *e) echo ends-e ;; '') echo empty ;; *) echo other ;; esac; done
#: test with strings, numbers, files and patterns
[[ abc == a?c && abc != *d && -z '' && -n x && 10 -gt 9 && ! 3 -eq 4 ]] && echo yes; [[ 'a b' =~ ^(a)\ (b)$ ]] && echo "${BASH_REMATCH[2]}"; touch f; [[ -f f && ! -s f && -r f && ! -d f && ! -L f ]] && echo file; [ 1 -lt 2 -a a = a ] && echo old; [ x -lt 2 ]; echo "code $?"
#: loops with break, continue and step
for ((i = 0; i < 10; i += 3)); do ((i == 3)) && continue; echo $i; done; n=0; until ((n == 2)); do ((n++)); done; echo $n; for i in 1 2 3; do for j in a b; do [[ $j == b ]] && continue 2; [[ $i == 3 ]] && break 2; echo $i$j; done; done
#: while read with IFS, the last line without an end
printf 'a:b c\nd:e' | while IFS=: read -r x y || [[ -n $x ]]; do echo "[$x][$y]"; done; IFS=: read -ra f <<< 'p::q'; echo "${#f[@]} <${f[1]}>"; read -r -n 2 two <<< abcdef; echo $two; read -r -d ';' upto <<< 'one;two'; echo $upto
#: a pipe into a loop does not set variables, a redirection does
n=0; seq 3 | while read -r _; do ((n++)); done; echo $n; while read -r _; do ((n++)); done < <(seq 3); echo $n; shopt -s lastpipe; seq 4 | while read -r _; do ((n++)); done; echo $n
#: functions return, recurse and keep locals
fact() { (($1 < 2)) && echo 1 || echo $(($1 * $(fact $(($1 - 1))))); }; fact 10; v=global; f() { local v=inner; g; return 7; }; g() { echo $v; }; f; echo "$? $v"; f() { echo "$# $1 $*"; shift; echo "${1-none}"; }; f 'a b' c; declare -F f
#: here-documents with and without expansion
x=1; cat <<E; cat <<'E'; cat <<-E
a $x $((x + 1)) \$x `echo sub`
E
a $x
E
	indented
	E
cat <<< "here $x"
#: process substitution in both directions
diff <(seq 3) <(seq 2 4); echo "code $?"; seq 3 | tee >(wc -l > count) > /dev/null; while [ ! -s count ]; do sleep 0.02; done; cat count; paste <(seq 2) <(seq 3 4); cat < <(echo x) <(echo y)
#: set -e stops at the first failure
bash -c 'set -e; echo a; false; echo b'; echo "code $?"; bash -ec 'if false; then :; fi; false || true; ! false; echo still'; bash -c 'set -e; f() { false; echo after; }; f || echo caught; f && echo x; echo end'
#: set -euo pipefail, and its exceptions
bash -c 'set -euo pipefail; false | true; echo no'; echo "code $?"; bash -c 'set -euo pipefail; x=$(false) || echo caught; local_() { local y=$(false); echo kept; }; local_; echo "${1:-default}"; echo $undefined'; echo "code $?"
#: pipefail and PIPESTATUS
true | false | true; echo "${PIPESTATUS[@]}"; set -o pipefail; exit_3() { return 3; }; exit_3 | cat; echo $?; ! false | true; echo $?
#: a reader that ends early ends the writer by SIGPIPE
yes | head -2; echo "${PIPESTATUS[@]}"; seq 1 1000000 | head -1; (set -o pipefail; yes | head -1 > /dev/null; echo $?); cat /dev/zero | head -c 5 | wc -c
#: traps on EXIT, ERR, INT, TERM and DEBUG
bash -c 'trap "echo bye" EXIT; echo hi; exit 4'; echo $?; bash -c 'trap "echo err \$LINENO" ERR; false; true'; bash -c 'trap "echo term; exit 9" TERM; kill -TERM $$; echo not'; echo $?; bash -c 'trap "" TERM; kill -TERM $$; echo survived'; (trap 'echo sub' EXIT; :); trap
#: signals give 128 + n
for s in TERM KILL INT HUP USR1 PIPE SEGV ABRT; do bash -c "kill -$s \$\$" 2> /dev/null; echo "$s $?"; done; kill -l 139; kill -l TERM
#: the shell names a signal that ended a child
bash -c 'bash -c "kill -SEGV \$\$"; echo $?'  2>&1 | sed -E 's/line [0-9]+: *[0-9]+/line N: PID/' ; bash -c 'bash -c "kill -9 \$\$"; true' 2>&1 | sed -E 's/line [0-9]+: *[0-9]+/line N: PID/'
#: exit codes of missing and unrunnable programs
no-such-program; echo $?; touch f; ./f; echo $?; chmod +x f; ./f; echo $?; printf '#!/no/interpreter\n' > g; chmod +x g; ./g; echo $?; (exit 300); echo $?; (exit -1); echo $?; ./missing; echo $?; . /no/such; echo $?
#: a syntax error is code 2
bash -c 'if then'; echo $?; bash -c 'echo "unclosed'; echo $?; bash -c 'f( {'; echo $?; bash -n <<< 'for'; echo $?
#: background jobs, wait and their codes
sleep 0.05 & p=$!; (exit 5) & wait $!; echo $?; wait $p; echo $?; (exit 3) & wait -n; echo $?; wait; echo $?; jobs; kill -0 $p 2> /dev/null; echo $?; wait 99999; echo $?
#: parallel work with wait keeps all results
for i in 1 2 3 4; do (sleep 0.0$((5 - i)); echo $i > r$i) & done; wait; cat r?
#: coprocesses and file descriptors
coproc C { tr a-z A-Z; }; exec 5>&"${C[1]}"; eval "exec ${C[1]}>&-"; echo hi >&5; exec 5>&-; read -r x <&"${C[0]}"; echo $x; exec 3> f; echo a >&3; echo b >&3; exec 3>&-; cat f; exec 4< f; read -r l <&4; read -r m <&4; echo $l$m; exec 4<&-; { echo out; echo err >&2; } 2>&1 > /dev/null | cat
#: redirections in their order
(echo o; echo e >&2) > f 2>&1; cat f; (echo o; echo e >&2) 2>&1 > g; cat g; echo a > f; echo b >> f; cat f; : > f; wc -c < f; set -C; echo x > f; echo "code $?"; echo y >| f; cat f; echo z &> h; cat h; ls no-such &> h; echo $?; cat < no-such; echo $?
#: closed and full outputs fail
echo x >&-; echo "code $?"; echo x > /dev/full; echo "code $?"; cat <&-; echo "code $?"
#: subshells and groups
x=1; (x=2; echo $x); echo $x; { x=3; }; echo $x; (cd /; pwd); y=$(x=9; echo in); echo $x $y; echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL); a=$( (echo nested) ); echo $a
#: command substitution drops final line ends and null bytes
x=$(printf 'a\n\n\n'); echo "[$x]"; x=$(printf 'a\0b' 2> /dev/null); echo "${#x}"; echo `echo \`echo deep\``; echo "$(< /dev/null)."
#: word splitting and quoting
x='a  b'; echo $x; echo "$x"; set -- $x; echo $#; y='*.none'; echo $y "$y"; z='a;b|c'; echo $z; eval "echo $x"; echo 'it'\''s' "a\"b" $'tab\there' a\ b
#: getopts parses options
set -- -a -b val -x rest; while getopts ':ab:' o; do case $o in a) echo a ;; b) echo "b=$OPTARG" ;; \?) echo "unknown $OPTARG" ;; esac; done; shift $((OPTIND - 1)); echo "$*"
#: positional parameters
set -- one 'two three' four; echo $# "$2" "${@: -1}" "${*:2:1}"; shift 2; echo $1 $#; set --; echo $#; f() { for a; do printf '<%s>' "$a"; done; echo; }; f 'x y' z; echo "${10-none}"
#: printf -v, date-free time formats and %()T
printf -v x '%03d' 7; echo $x; TZ=UTC printf '%(%F %T)T\n' 0; printf -v 'a[2]' '%s' q; echo ${a[2]}
#: readonly and export
readonly r=1; (r=2); echo "code $?"; export E=ex; bash -c 'echo $E'; E=once bash -c 'echo $E'; echo $E; unset E; bash -c 'echo "[$E]"'; declare -x F=f; env | grep ^F=; declare -p r; f() { declare -g G=g; }; f; echo $G
#: shopt and set show their state
set -o | grep -E '^(errexit|pipefail|noclobber)'; shopt nullglob; echo $-; set -f; echo *; set +f; [[ $- == *f* ]] || echo off
#: aliases are off, functions shadow programs
alias ll=ls; ll 2>&1 | sed 's/.*line/line/'; ls() { echo mine; }; ls; command ls -d /; builtin echo b; unset -f ls; type -t ls echo if; command -v cat
#: source passes arguments and returns
printf 'echo in "$@"; v=5; return 6; echo not' > lib; . ./lib a b; echo $? $v; source ./lib; (return 2 2> /dev/null); echo $?
#: xtrace writes what it does
bash -xc 'x=1; echo $((x + 1)) "a b"; [[ $x == 1 ]]; for i in 1 2; do :; done' 2>&1
#: select and read without an input end at once
read -r x < /dev/null; echo $?; select o in a b; do echo $o; break; done <<< 2 2>&1; echo; read -r -t 0.01 x < <(sleep 0.05); echo $(($? > 128))
#: unicode in variables, lengths and patterns
s='Grüße 😀 日本'; echo ${#s} ${s:0:5} ${s: -2} ${s^^}; [[ $s == *😀* ]] && echo found; LC_ALL=C; echo ${#s}; printf '%s\n' "${s//[^[:ascii:]]/?}"
#: ulimit and umask
umask 027; touch f; mkdir d; stat -c %a f d; umask; ulimit -f 1; (head -c 5000 /dev/zero > big) 2> /dev/null; echo $?; ulimit -S -n 32; ulimit -n
#: timeout ends a program and says so
timeout 0.1 sleep 5; echo $?; timeout 5 true; echo $?; timeout -s KILL 0.1 sleep 5; echo $?; timeout 0.1 bash -c 'trap "" TERM; sleep 0.3; echo done'; echo $?; timeout --foreground -k 0.1 0.1 bash -c 'trap "" TERM; sleep 5 & wait; sleep 5'; echo $?
#: LINENO, FUNCNAME and caller
f() { echo ${FUNCNAME[0]} ${#FUNCNAME[@]}; caller | cut -d' ' -f1; }
f
echo $LINENO
#: long pipelines and deep nesting
seq 1 100000 | grep 7 | sed 's/7/x/' | cut -c1-3 | sort | uniq -c | sort -rn | head -3 | awk '{ print $1, $2 }'; x=1; for i in {1..200}; do x="$((x + $(echo 1)))"; done; echo $x; f() { (($1)) && f $(($1 - 1)) || echo bottom; }; f 500
#: a long argument list and a long line
set -- $(seq 1 20000); echo $#; printf '%s\n' "$@" | tail -1; head -c 300000 /dev/zero | tr '\0' x | wc -L; /bin/echo $(seq 1 20000) | wc -c; /bin/true "$(head -c 200000 /dev/zero | tr '\0' x)"; echo $?
