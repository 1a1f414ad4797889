import { afterAll, describe, expect, it } from "vitest";
import { run, sandbox, written } from "./sandbox.ts";

afterAll(() => sandbox.close());

const js = async (program: string, files: Record<string, string | Uint8Array> = {}) =>
  (await run("javascript", program, { files })).output;

describe("a JavaScript program", () => {
  it("returns what it prints and the value of its last expression", async () => {
    expect(await js("console.log('a', 1, { b: [2n, undefined, NaN] }); [1, 2].map((n) => n * 2)")).toBe(
      'a 1 {"b":["2n",null,"NaN"]}\n[2,4]',
    );
    expect(await js("const x = 1;")).toBe("");
    expect(await js("const half = async (n) => n / 2; await half(4)")).toBe("2");
    expect(await js("(async () => { await null; return new Map([[1, new Set([2])]]); })()")).toBe(
      '{"Map":[[1,{"Set":[2]}]]}',
    );
  });

  it("reads the files of its request, and CSV as objects", async () => {
    const files = {
      "a.csv": 'name,n\r\n"Ada, ""the first""",1\r\n\r\nBob,2',
      "b.csv": "x;y\n1,5;2\n",
      bin: Buffer.from([0, 255]),
    };
    expect(await js("parseCsv(readFile('a.csv'))", files)).toBe(
      '[{"name":"Ada, \\"the first\\"","n":"1"},{"name":"Bob","n":"2"}]',
    );
    expect(await js("parseCsv(readFile('b.csv'))", files)).toBe('[{"x":"1,5","y":"2"}]');
    expect(await js("[...readBytes('bin')]", files)).toBe("[0,255]");
    expect(await js("listFiles()", { a: "12" })).toBe('[{"name":"a","size":2}]');
  });

  it("names the integers that JSON.parse rounded, and only these", async () => {
    const id = "1469812398471234561";
    const json = [
      `{"id": ${id}, "text": "${id}, \\\\\\"${id}: ", "of": [-${id}, 9007199254740992, 0.${id}, ${id}e-1, -1]}`,
      `"${id}"`,
      "9".repeat(400),
    ];
    const files = { "a.ndjson": json.join("\n") };
    const program = "readFile('a.ndjson').split('\\n').map((line) => JSON.parse(line)).length";
    const { output, notes } = await run("javascript", program, { files });
    expect(output).toBe("3");
    expect(notes).toEqual([
      expect.stringMatching(`^JSON.parse rounded 3 integers over 2\\^53, such as ${id} to 1469812398471234600. `),
    ]);
    const advice = /text\.replace\(.*\)(?=\.$)/.exec(notes[0] ?? "")?.[0];
    const kept = await run("javascript", `const text = '[${id},{"a":-${id}}]'; console.log(${advice})`);
    expect(kept).toMatchObject({ output: `["${id}",{"a":"-${id}"}]`, notes: [] });
    expect(await run("javascript", "JSON.parse('[1]', (key, value) => value === 1 ? 2 : value)")).toMatchObject({
      output: "[2]",
      notes: [],
    });
    expect(await js("try { JSON.parse('[1234567890123456789') } catch (error) { error.name }")).toBe("SyntaxError");
  });

  it.each([
    [
      "const u = new URL('/x y?q=1#h', 'https://a.b:8080'); u.searchParams.append('z', 'ä &'); u.pathname = '/n'; [u.href, u.port, u.searchParams.get('z')].join(' ')",
      "https://a.b:8080/n?q=1&z=%C3%A4+%26#h 8080 ä &",
    ],
    ["[...new URLSearchParams('a=1&b=%20+&a=3')].join(';') + new URLSearchParams({ c: '1 2' })", "a,1;b,  ;a,3c=1+2"],
    [
      "const a = { d: new Date(0), m: new Map([[1, { x: 2 }]]) }; a.self = a; const b = structuredClone(a); [b.self === b, b !== a, b.m.get(1).x, b.d.getTime()]",
      "[true,true,2,0]",
    ],
    ["new TextDecoder('utf-16le').decode(new TextEncoder().encode('a\\0b\\0'))", "ab"],
    ["btoa('héllo') + ' ' + atob('YWJjZA==')", "aOlsbG8= abcd"],
    ["new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5)", "1.234,50\u00a0€"],
    [
      "(1234567.891).toLocaleString('en-US') + new Date(0).toLocaleDateString('en-US', { month: 'long', year: 'numeric' })",
      "1,234,567.891January 1970",
    ],
    ["new Date(0).toLocaleString('en-GB', { timeZone: 'America/New_York' })", "31/12/1969, 19:00:00"],
  ])("has the web API of %s", async (program, output) => {
    expect(await run("javascript", program)).toMatchObject({ output });
  });

  it.each([
    ["new URL('x')", "TypeError: Invalid URL"],
    ["new TextDecoder('nope')", 'The "nope" encoding is not supported'],
    ["new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]))", "not valid for encoding utf-8"],
    ["structuredClone(() => 1)", "cannot copy a function"],
    ["new Intl.NumberFormat('x-')", "Incorrect locale information"],
  ])("gets an error of the web API from %s", async (program, problem) => {
    expect((await run("javascript", program)).problem).toContain(problem);
  });

  it("returns only new and changed files", async () => {
    const result = await run(
      "javascript",
      "writeFile('new.txt', 'ü'); writeFile('same', 'x'); writeFile('old', readFile('old') + '!'); writeFile('b', new Uint8Array([65]).buffer)",
      { files: { same: "x", old: "o", other: "z" } },
    );
    expect(written(result)).toEqual({ "new.txt": "ü", old: "o!", b: "A" });
    expect(result).not.toHaveProperty("problem");
  });

  it.each([
    ["throw new TypeError('bad')", "TypeError: bad (program.js:1:11)"],
    ["(async () => { throw new Error('late') })()", "Error: late"],
    ["const x = ;", "SyntaxError: unexpected token in expression"],
    ["await new Promise(() => {})", "waits for a promise that never settles"],
    ["readFile('none')", 'There is no file "none". Files: "a".'],
    ["writeFile('../a', '')", "is not a valid file name"],
    ["writeFile('a', 1)", "accepts a string or bytes"],
    ["import('node:fs')", "could not load module"],
  ])("returns an error for %s", async (program, problem) => {
    expect((await run("javascript", program, { files: { a: "" } })).problem).toContain(problem);
  });

  it("returns at most 500 files and names the others", async () => {
    const { written: kept, notes } = await run("javascript", "for (let n = 0; n < 510; n++) writeFile(`f${n}`, 'x')");
    expect(kept).toHaveLength(500);
    expect(notes).toEqual([expect.stringMatching(/^Not saved, because at most 500 files .*: f500, f501/)]);
  });

  it.each(["for (;;) console.log('x'.repeat(1000))", "for (;;);"])(
    "saves nothing when it exceeds a limit: %s",
    async (loop) => {
      const result = await run("javascript", `writeFile('a', 'x'); ${loop}`, { seconds: 1 });
      expect(result).toMatchObject({
        problem: expect.stringMatching(/^The program was stopped.* No files were saved\.$/),
      });
      expect(result.written).toEqual([]);
    },
  );

  it("is stopped when the signal aborts, and the next call works", async () => {
    const stop = new AbortController();
    const running = run("javascript", "for (;;);", { signal: stop.signal, seconds: 300 });
    setTimeout(() => stop.abort(new Error("stopped")), 100);
    await expect(running).rejects.toThrow("stopped");
    expect(await js("1")).toBe("1");
  });

  it("runs in parallel with others, each with its own files", async () => {
    const outputs = await Promise.all(
      Array.from({ length: 12 }, (_, n) => js("Number(readFile('n')) + 1", { n: String(n) })),
    );
    expect(outputs).toEqual(Array.from({ length: 12 }, (_, n) => String(n + 1)));
  });
});
