import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { LinuxResult } from "../../../../../src/sandbox/linux/linux-types.ts";
import type { TestProgram } from "../engine.ts";
import type { Attack } from "./attacks.ts";
import { familyProgram, refusedFamilies, systemCallProgram, systemCalls } from "./system-calls.ts";
import { attackTables } from "./tables.ts";

const helpers = readFileSync(new URL("attack.py", import.meta.url), "utf8");

/** The whole output or a pattern that matches it, or why the whole call failed. */
export type Outcome = string | RegExp | { problem: RegExp };

/** An engine, and where its walls differ from those of bubblewrap. */
export interface AttackedEngine {
  name: string;
  /** Why it cannot be attacked here. */
  unavailable?: string | undefined;
  /** Absent if it is unavailable. */
  run?: (program: TestProgram) => Promise<LinuxResult>;
  /** What comes of prevented attacks, by title, where it differs. */
  outputs?: Record<string, Outcome>;
  /** Errors of system calls, by name, where they differ. */
  errors?: Record<string, string>;
  /** Reasons why attacks do not apply, by title. */
  inapplicable?: Record<string, string>;
}

/** Makes all attacks on an engine. */
export function describeAttacks({
  name,
  unavailable,
  run,
  outputs = {},
  errors = {},
  inapplicable = {},
}: AttackedEngine): void {
  const isSkipped = unavailable !== undefined;
  const where = `in ${name}${isSkipped ? ` (skipped: ${unavailable})` : ""}`;

  const start = async ({
    language,
    text,
    files,
  }: Pick<Attack, "language" | "text" | "files">): Promise<LinuxResult> => {
    if (!run) throw new Error(`${name} is unavailable`);
    return run({
      language,
      text,
      files: { ...files, ...(language === "python" && { "attack.py": helpers }) },
      seconds: 30,
    });
  };

  /** Lines of a program that makes many attempts, as `rest` by `name`. */
  async function linesOf(text: string): Promise<Map<string, string>> {
    const { output, exitCode } = await start({ language: "python", text });
    if (exitCode !== 0) throw new Error(output);
    const lines = output.trim().split("\n");
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)]));
  }

  describe.skipIf(isSkipped)(`system calls ${where}`, () => {
    let results: Promise<Map<string, string>> | undefined;
    it.each(systemCalls)("%s fails", async (call, _x64, _arm64, _args, error) => {
      results ??= linesOf(systemCallProgram(systemCalls));
      expect((await results).get(call)).toBe(errors[call] ?? error);
    });
  });

  describe.skipIf(isSkipped)(`families of sockets ${where}`, () => {
    let results: Promise<Map<string, string>> | undefined;
    it.each(refusedFamilies)("family %i cannot be used", async (family) => {
      results ??= linesOf(familyProgram);
      for (const kind of [1, 2, 3, 5]) {
        expect((await results).get(`${family} ${kind}`)).toBe(errors["socket"] ?? "EAFNOSUPPORT");
      }
    });

    it("no pair of them can be made", async () => {
      results ??= linesOf(familyProgram);
      expect([(await results).get("pair 16"), (await results).get("pair 38")]).toEqual([
        "EAFNOSUPPORT",
        "EAFNOSUPPORT",
      ]);
    });
  });

  describe.skipIf(isSkipped).each(Object.entries(attackTables))(`attacks on %s ${where}`, (_, attacks) => {
    for (const attack of attacks) {
      const { title, output, exitCode = 0, check } = attack;
      const reason = inapplicable[title];
      it.skipIf(reason !== undefined)(
        `${title}${reason === undefined ? "" : ` (does not apply: ${reason})`}`,
        async () => {
          const result = await start(attack);
          const expected = outputs[title] ?? output;
          if (typeof expected === "object" && "problem" in expected) {
            expect(result).toMatchObject({
              problem: expect.stringMatching(expected.problem),
              changed: [],
              deleted: [],
            });
            expect((await start({ language: "shell", text: "echo next" })).output).toBe("next\n");
            return;
          }
          if (typeof expected === "string") expect(result.output).toBe(expected);
          else expect(result.output).toMatch(expected);
          expect(result.exitCode).toBe(exitCode);
          await check?.(result);
        },
      );
    }
  });

  it(`the differences of ${name} name attacks`, () => {
    const titles = new Set(Object.values(attackTables).flatMap((attacks) => attacks.map(({ title }) => title)));
    const calls = new Set([...systemCalls.map(([call]) => call), "socket"]);
    const named = [...Object.keys(outputs), ...Object.keys(inapplicable)];
    expect(named.filter((title) => !titles.has(title))).toEqual([]);
    expect(Object.keys(errors).filter((call) => !calls.has(call))).toEqual([]);
  });
}
