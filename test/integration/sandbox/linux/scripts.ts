import { readFileSync } from "node:fs";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

/** Bash scripts by title. Each prints only what is the same in every run: no times, process ids or random numbers. */
export interface Script {
  title: string;
  text: string;
}

/** Own scripts on a subject. */
const idioms = (subject: string): Script[] =>
  read(`idioms/${subject}.sh`)
    .split(/^#: /m)
    .slice(1)
    .map((part) => ({ title: part.slice(0, part.indexOf("\n")), text: part.slice(part.indexOf("\n") + 1) }));

/** Everyday scripts of one line to a few. */
export const everydayScripts = (JSON.parse(read("../../../fixtures/shell-scripts.json")) as string[]).map(
  (text, number): Script => ({ title: `script ${number}: ${text.slice(0, 60)}`, text }),
);

/** Scripts by subject; those on data use Python, jq and SQLite. */
export const subjectScripts: Script[] = ["text", "bash", "files", "data"].flatMap(idioms);
