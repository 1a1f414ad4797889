import { describe, expect, test } from "vitest";
import { localProgram } from "../../../bin/local/options.ts";

/** The values of `--cors-origin` that a start with these origins has. */
async function parse(...origins: string[]): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const program = localProgram(async ({ corsOrigins }) => resolve(corsOrigins));
  await program.parseAsync(
    origins.flatMap((origin) => ["--cors-origin", origin]),
    { from: "user" },
  );
  return promise;
}

describe("--cors-origin", () => {
  test("takes origins as browsers send them", async () => {
    expect(await parse("https://APP.example.com/", "http://localhost:5173", "http://[::1]:3000")).toEqual([
      "https://app.example.com",
      "http://localhost:5173",
      "http://[::1]:3000",
    ]);
    expect(await parse()).toEqual([]);
  });

  test.each([
    ["*"],
    ["null"],
    ["app.example.com"],
    ["https://*.example.com"], // would never be equal to an origin
    ["https://app.example.com:443"], // a browser leaves the port of the scheme out
    ["https://app.example.com/page"],
    ["https://user@app.example.com"],
    ["file:///page.html"],
  ])("rejects %j and says what is expected", async (origin) => {
    await expect(parse(origin)).rejects.toThrow(
      `--cors-origin is ${JSON.stringify(origin)}; expected an origin such as https://app.example.com`,
    );
  });
});
