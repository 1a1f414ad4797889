import { readFileSync } from "node:fs";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

/** Bash scripts by title. Each prints only what is the same in every run: no times, process ids or random numbers. */
export interface Script {
  title: string;
  text: string;
}

const idioms = ["text", "bash", "files", "data"].flatMap((subject) =>
  read(`idioms/${subject}.sh`)
    .split(/^#: /m)
    .slice(1)
    .map((part): Script => ({ title: part.slice(0, part.indexOf("\n")), text: part.slice(part.indexOf("\n") + 1) })),
);

const everyday = (JSON.parse(read("../../../fixtures/shell-scripts.json")) as string[]).map((text, number): Script => ({
  title: `script ${number}: ${text.slice(0, 60)}`,
  text,
}));

/** All scripts that are compared with bash outside of the sandbox. */
export const scripts: Script[] = [...everyday, ...idioms];
