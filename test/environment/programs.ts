/** A script that a model writes, and what it prints. */
export interface EverydayScript {
  title: string;
  script: string;
  prints: RegExp;
}

const python = (text: string): string => `python - <<'PYTHON'\n${text}\nPYTHON`;

/** Two characters that a font lacks are drawn as the same box. */
const draws = (chosen: string): string =>
  python(`
import warnings; warnings.simplefilter("error")
import matplotlib; matplotlib.use("Agg")
import matplotlib.pyplot as plt
import seaborn
${chosen}
def drawn(text):
    figure, axes = plt.subplots(figsize=(2, 1))
    axes.set_title(text, fontweight="bold")
    figure.canvas.draw()
    return bytes(figure.canvas.buffer_rgba())
texts = ["", "上", "市", "销", "매", "の"]
print(len({drawn(text) for text in texts}), len({drawn("$x^2$ " + text) for text in texts}), "images")
`);

export const everydayScripts: EverydayScript[] = [
  ["a chart has Chinese, Japanese and Korean", draws(""), /6 6 images/],
  ["a chart of seaborn has them, too", draws("seaborn.set_theme()"), /6 6 images/],
  [
    "a chart with a font of another system has them, too",
    draws('plt.rcParams["font.family"] = "SimHei"'),
    /6 6 images/,
  ],
  [
    "a PDF of a chart has their text",
    `${python('import matplotlib.pyplot as plt; plt.title("売上 销售 매출"); plt.savefig("chart.pdf")')}\npdftotext chart.pdf - | grep 売`,
    /売上 销售 매출/,
  ],
  ["fc-list finds a font for Chinese", "fc-list :lang=zh family", /WenQuanYi Micro Hei/],
  [
    "make builds a target",
    `printf 'built: source\\n\\tcp $< $@\\n' >Makefile; echo 7 >source; make; cat built`,
    /cp source built\n7\n/,
  ],
  ["rsync copies a folder", "mkdir a; echo 7 >a/x; rsync -a a/ b/; cat b/x", /7/],
  [
    "a virtual environment in the workspace runs Python and pip",
    "python3 -m venv .venv && .venv/bin/python -c 'import sys; print(sys.prefix)' && .venv/bin/pip --version; rm -r .venv",
    /\/work\/\.venv\npip \d+/,
  ],
  [
    "a virtual environment can have the libraries",
    "python3 -m venv --system-site-packages /tmp/v && /tmp/v/bin/python -c 'import pandas; print(pandas.DataFrame([7]))'",
    /0 {2}7/,
  ],
  [
    "pip says why it installs nothing",
    "pip install requests",
    /Packages cannot be installed: programs have no network/,
  ],
  [
    "pandas writes Markdown with tabulate",
    python('import pandas; print(pandas.DataFrame({"a": [7]}).to_markdown(index=False))'),
    /\| +a \|\n\|-+:\|\n\| +7 \|/,
  ],
  [
    "pypdf reads an encrypted PDF of reportlab with cryptography",
    python(`
from reportlab.pdfgen import canvas
import pypdf
page = canvas.Canvas("a.pdf"); page.drawString(72, 700, "total 42"); page.save()
writer = pypdf.PdfWriter(clone_from="a.pdf"); writer.encrypt("key", algorithm="AES-256"); writer.write("b.pdf")
reader = pypdf.PdfReader("b.pdf"); reader.decrypt("key"); print(reader.pages[0].extract_text())`),
    /total 42/,
  ],
  [
    "scipy finds a root",
    python("from scipy.optimize import brentq; print(round(brentq(lambda x: x * x - 2, 0, 2), 6))"),
    /1\.414214/,
  ],
  [
    "scikit-learn fits a line",
    python(
      "from sklearn.linear_model import LinearRegression; print(LinearRegression().fit([[1], [2]], [3, 5]).coef_.round(6))",
    ),
    /\[2\.\]/,
  ],
  [
    "beautifulsoup4 reads a page",
    python('from bs4 import BeautifulSoup; print(BeautifulSoup("<p>a<b>b</b>", "lxml").b.text)'),
    /says: b$/,
  ],
  [
    "git status names a change, and no file of a copied workspace",
    `git init -q . && echo 1 >a && echo 1 >b && git add . && git -c user.name=a -c user.email=a@b.c commit -qm 1
cp -r --preserve=timestamps . /tmp/copy && cd /tmp/copy && git diff-files --name-only && echo "none changed" && echo 22 >a && git status --short`,
    /none changed\n M a\n/,
  ],
  [
    "all modules are compiled, but a Python 2 text",
    python(`
import importlib.util, pathlib, site
files = [file for folder in site.getsitepackages() for file in pathlib.Path(folder).rglob("*.py")]
print(len(files) > 3000, [file.name for file in files if not pathlib.Path(importlib.util.cache_from_source(str(file))).exists()])`),
    /True \['olefile2\.py'\]/,
  ],
  [
    "the licences of fonts and libraries are there",
    `cd /usr/share/agent-environment; jq -r '.components[].name' sbom.json | grep -xE 'fonts-wqy-microhei|rsync|scikit-learn|seaborn' | sort | tr '\\n' ' '
grep -E '^ +/' NOTICE | while read -r file; do [ -e "$file" ] || echo "no $file"; done`,
    /fonts-wqy-microhei rsync scikit-learn seaborn (?!.*no \/)/,
  ],
].map(([title, script, prints]) => ({ title, script, prints }) as EverydayScript);
