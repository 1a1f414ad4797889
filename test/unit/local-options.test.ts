import { expect, test } from "vitest";
import { CliError } from "../../bin/cli.ts";
import { type LocalOptions, localProgram } from "../../bin/local/options.ts";

async function optionsOf(...args: string[]): Promise<LocalOptions> {
  const { promise, resolve } = Promise.withResolvers<LocalOptions>();
  await localProgram(async (options) => resolve(options)).parseAsync(args, { from: "user" });
  return promise;
}

test("limits of programs and workspaces can be set", async () => {
  const usual = {
    defaultProgramSeconds: 120,
    programMemoryBytes: 2 ** 31,
    fileLimits: { files: 2_000, bytes: 2 ** 30 },
  };
  expect(await optionsOf()).toMatchObject(usual);
  const given = [
    "--program-seconds",
    "600",
    "--program-memory",
    "512",
    "--workspace-files",
    "10",
    "--workspace-size",
    "20",
  ];
  expect(await optionsOf(...given)).toMatchObject({
    defaultProgramSeconds: 600,
    programMemoryBytes: 2 ** 29,
    fileLimits: { files: 10, bytes: 20 * 2 ** 20 },
  });
});

test.each([
  ["--program-seconds", "601", "a whole number from 1 to 600"],
  ["--program-seconds", "0", "a whole number from 1 to 600"],
  ["--program-seconds", "1.5", "a whole number from 1 to 600"],
  ["--workspace-files", "many", "a whole number from 10 to 100000"],
])("%s %s is refused with what is accepted", async (option, value, accepted) => {
  const refused = new CliError(`${option} is "${value}"; expected ${accepted}`);
  await expect(optionsOf(option, value)).rejects.toEqual(refused);
});
