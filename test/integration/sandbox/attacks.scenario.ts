import { afterAll, describe, expect, it } from "vitest";
import { run, sandbox } from "./sandbox.ts";

afterAll(() => sandbox.close());

export const python = (code: string): string => `python3 - <<'EOF'\n${code}\nEOF`;

const attacks = [
  ["javascript", "endless loop", "for (;;);"],
  ["javascript", "endless microtasks", "(function f() { Promise.resolve().then(f); })()"],
  ["javascript", "endless loop in toJSON", "({ toJSON() { for (;;); } })"],
  ["javascript", "catastrophic pattern", "/^(a+)+$/.test('a'.repeat(50) + 'b')"],
  ["javascript", "memory bomb of arrays", "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))"],
  ["javascript", "memory bomb of texts", "let s = 'x'; for (;;) s = [s, s].join('')"],
  ["javascript", "memory bomb in a catch", "const a = []; for (;;) try { a.push(new Array(1e5).fill({})) } catch {}"],
  ["javascript", "huge sort", "new Array(5e7).fill(0).sort(() => Math.random() - 0.5)"],
  ["javascript", "deep recursion", "const f = () => f() + 1; f()"],
  ["javascript", "deep JSON", "JSON.parse('['.repeat(1e6))"],
  ["javascript", "output flood", "for (;;) console.log('x'.repeat(1000))"],
  ["javascript", "output flood in a catch", "for (;;) try { console.log('x'.repeat(1000)) } catch {}"],
  ["javascript", "flood of files", "for (let n = 0; ; n++) writeFile('f' + n, new Uint8Array(1e6))"],
  ["python", "endless loop", "while true; do :; done"],
  ["python", "fork bomb", ":(){ :|:& };:"],
  ["python", "recursion", "f() { f; }; f"],
  ["python", "memory bomb", "x=a; while true; do x=$x$x; done"],
  ["python", "output flood", "while true; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"],
  ["python", "catastrophic pattern", `echo ${"a".repeat(50)}b | grep -E '^(a+)+$'`],
  ["python", "flood of files", "n=0; while true; do n=$((n+1)); printf '%01000000d' 0 > f$n; done"],
  ["python", "growing file", "echo a > f; while true; do cat f f > g; cat g g > f; done"],
  ["python", "memory bomb in a pipe", "x=aaaaaaaaaaaaaaaa; while true; do x=$(echo $x$x | cat); done"],
  ["python", "hidden memory bomb", "x=a; (while true; do x=$x$x; done) 2>/dev/null | cat; echo done"],
  ["python", "memory bomb in awk", `awk 'BEGIN { s = "x"; while (1) s = s s }' || true`],
  ["python", "memory bomb in jq", "jq -n '[range(1000000000)] | length' || true"],
  ["python", "long sequence", "seq 1 1000000000 | tail -1; echo done"],
  ["python", "Python: endless loop", python("while True: pass")],
  ["python", "Python: catastrophic pattern", python("import re\nre.match(r'^(a+)+$', 'a' * 50 + 'b')")],
  ["python", "Python: memory bomb", python("a = []\nwhile True: a.append(bytearray(10**7))")],
  ["python", "Python: recursion", python("def f(): f()\nf()")],
  ["python", "Python: fork", python("import os\nos.fork()")],
  ["python", "Python: output flood", python("while True: print('x' * 1000)")],
] as const;

/** `seconds`: the time limit of each program. `grace`: the seconds after it until the result. One that cannot be ended in order is killed half a second later. */
export function describeAttacks({ seconds, grace }: { seconds: number; grace: number }): void {
  describe.each(attacks)("%s: %s", (engine, _, program) => {
    it(`is stopped at a limit of ${seconds} s, and the next call works`, { timeout: 30_000 }, async () => {
      const begun = performance.now();
      const result = await run(engine, program, { seconds });
      expect(performance.now() - begun).toBeLessThan((seconds + grace) * 1_000);
      expect(result.problem).toBeTruthy();
      expect(result.output.length).toBeLessThan(101_000);
      const next = await run(engine, engine === "python" ? "echo 4" : "2 + 2");
      expect(next).toMatchObject({ output: "4" });
    });
  });
}
