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

  it("returns the beginning of a long output and says that it is cut", async () => {
    const { output, notes, problem } = await run("shell", "seq 1 200000; echo failed >&2");
    expect(problem).toBeUndefined();
    expect(output).toMatch(/^1\n2\n/);
    expect(output).toMatch(/\nfailed$/);
    expect(output.length).toBeLessThan(100_010);
    expect(notes).toEqual([
      expect.stringMatching(/^The output is cut: the script printed 1288900 characters, .* 100000/),
    ]);
  });

  it.each([
    ["in a redirect", "cat t t t > total.txt; cat total.txt; echo done"],
    ["in a pipe", "cat t t t | wc -c > total.txt; cat total.txt; echo done"],
    [
      "without error output",
      "awk '{ a = a $0 a $0 a $0 a $0 a } END { print a }' t > total.txt 2>/dev/null; echo done",
    ],
    ["of all files", "for n in 1 2 3 4 5; do cp t f$n; done 2>/dev/null; echo done"],
    ["in a command that may fail", "x=$(cat t t t) || echo done > total.txt"],
  ])("fails and saves nothing when it exceeds a limit %s", async (_, script) => {
    const result = await run("shell", script, { files: { t: `${"x".repeat(99)}\n`.repeat(310_000) } });
    expect(result.problem).toMatch(
      /^The script exceeded a limit of the sandbox: at most \d+ MB .* No files were saved\.$/,
    );
    expect(result.problem + result.output).not.toContain("executionLimits");
    expect(result.written).toEqual([]);
  });

  it("fails when it reads a device that the shell does not have", async () => {
    expect(await run("shell", "set -o pipefail; head -c 300000 /dev/zero | wc -c")).toMatchObject({
      output: expect.stringContaining("No such file"),
      problem: "The script ended with exit code 1.",
    });
  });
});
