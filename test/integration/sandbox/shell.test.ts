import { zipSync } from "fflate";
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

  it("unpacks no archive that is too large or that leaves the folder", async () => {
    const archive = zipSync({ "a.txt": new Uint8Array(1_000) });
    const size = Buffer.from(archive).lastIndexOf(Buffer.from([0xe8, 3, 0, 0]));
    const bomb = archive.with(size + 3, 0x20); // 512 MB
    const files = { "bomb.zip": bomb, "up.zip": zipSync({ "../../etc/passwd": new Uint8Array(1) }), "no.zip": "text" };
    const { output, problem } = await run("shell", "for f in bomb up no; do unzip -q $f.zip; done; ls", { files });
    expect(problem).toBeUndefined();
    expect(output).toMatch(/^bomb.zip\nno.zip\nup.zip\n/);
    expect(output).toMatch(/bomb.zip: .* limit of the sandbox\n.*is outside of the folder\n.*cannot read no.zip/);
  });

  it.each([
    ["+3 days", 3 * 86_400],
    ["2 weeks ago", -14 * 86_400],
    ["1 hour", 3_600],
  ])("has the date %s from now", async (text, seconds) => {
    const { output } = await run("shell", `date -d '${text}' +%s`);
    expect(Math.abs(Number(output) - Date.now() / 1000 - seconds)).toBeLessThan(60);
  });

  it.each([
    ["2024-01-31 +1 month", "2024-03-02"],
    ["2024-03-05 next friday", "2024-03-08"],
    ["2024-03-05 - 90 minutes", "2024-03-04"],
    ["Tue, 05 Mar 2024 10:00:00 GMT", "2024-03-05"],
  ])("has the date %s", async (text, output) => {
    expect(await run("shell", `date -d '${text}' +%F`)).toMatchObject({ output });
  });

  it("has the dot commands of sqlite3 that import and print tables", async () => {
    const script = `sqlite3 d.db <<'EOF'
.mode csv
.import t.csv t
.headers on
select * from t;
EOF
sqlite3 d.db ".import --csv --skip 1 t.csv t" ".mode json" "select count(*) as n from t"
sqlite3 d.db ".dump"`;
    const table = 'a,b c\n1,"x, ""y"""\n2,z\n';
    const { output, problem } = await run("shell", script, { files: { "t.csv": table } });
    expect(output).toContain('1,"x, ""y"""\n2,z\n[{"n":4}]');
    expect(output).toContain(".dump is not supported in the sandbox");
    expect(problem).toBe("The script ended with exit code 1.");
  });

  it.each([
    ["iconv -f utf-8 -t shift_jis t", "writing shift_jis is not supported"],
    ["iconv -f nope t", "encoding nope is not supported"],
    ["iconv -f utf-8 -t latin1 t", 'latin1 has no "名"; use latin1//TRANSLIT or -c'],
    ["iconv -f utf-16be -t utf-8 nothing", "ENOENT"],
  ])("says what iconv cannot do: %s", async (script, problem) => {
    expect((await run("shell", script, { files: { t: "名" } })).output).toContain(problem);
  });

  it("says that a script used too much memory", async () => {
    const files = { t: `${"x".repeat(99)}\n`.repeat(160_000) };
    const { problem, written: saved } = await run("shell", "wc -c < t > size; cat <(cat t) | wc -c", { files });
    expect(problem).toMatch(/^The program was stopped: it used more .*memory/);
    expect(saved).toEqual([]);
  });
});
