import { afterAll, describe, expect, it } from "vitest";
import { run, sandbox, written } from "./sandbox.ts";

afterAll(() => sandbox.close());

describe("a shell script", () => {
  it("reads and writes files in its working directory", async () => {
    const files = { "a.csv": "name,n\nAda,1\nBob,2\n" };
    const script = "tail -n +2 a.csv | awk -F, '{s+=$2} END {print s}' | tee sum.txt; sed -i s/Ada/Eve/ a.csv";
    const result = await run("shell", script, { files });
    expect(result).toMatchObject({ output: "3", notes: [] });
    expect(written(result)).toEqual({ "sum.txt": "3\n", "a.csv": "name,n\nEve,1\nBob,2\n" });
  });

  it("has Python with its standard library", async () => {
    const script = `python3 - <<'EOF'
import csv, statistics
rows = list(csv.DictReader(open("a.csv")))
print(statistics.mean(float(row["n"]) for row in rows))
with open("out.txt", "w") as out: out.write("done")
EOF`;
    const result = await run("shell", script, { files: { "a.csv": "n\n1\n2\n6\n" } });
    expect(result.output).toMatch(/^3(\.0)?$/);
    expect(written(result)).toEqual({ "out.txt": "done" });
  });

  it("reports its exit code and which files are not saved", async () => {
    expect(await run("shell", "echo out; echo err >&2; exit 3")).toMatchObject({
      output: "out\nerr",
      problem: "The script ended with exit code 3.",
    });
    const { notes } = await run("shell", "rm a; mkdir d; echo 1 > d/e", { files: { a: "" } });
    expect(notes).toEqual([
      "Not saved, because the workspace has no folders: d/e.",
      expect.stringMatching(/still in the workspace: a\.$/),
    ]);
  });

  it("reads a long table line by line", async () => {
    const table = Array.from({ length: 20_000 }, (_, n) => `row ${n}`).join("\n");
    const script = "n=0; while read -r line; do n=$((n+1)); done < t; echo $n";
    expect(await run("shell", script, { files: { t: `${table}\n` } })).toMatchObject({ output: "20000" });
  });
});
