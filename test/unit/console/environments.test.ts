import { expect, test } from "vitest";
import { toolHelp } from "../../../console/tool-help.ts";
import { type Environment, offerFor, pythonText, systemText } from "../../../console/environments.ts";
import schema from "../../../schemas/agent.schema.json" with { type: "json" };

const linux: Environment = {
  name: "linux",
  unavailable: null,
  engine: "bubblewrap",
  digest: `sha256:${"0".repeat(64)}`,
  system: "Debian 13",
  programs: { sed: "4.9", bash: "5.2.37", gawk: "5.2.1", bc: "1.07" },
  python: { version: "3.13.5", libraries: { lxml: "6.0", pandas: "2.3.3" } },
};
const none = { engine: null, digest: null, system: null, programs: null, python: null };
const missing: Environment = { ...none, name: "linux", unavailable: "Install bubblewrap." };

test("the form says what the service offers for a tool, or what to install", () => {
  const here = "Here: Debian 13 (bubblewrap) with bash 5.2.37, gawk 5.2.1 and 2 more programs.";
  expect(offerFor("run_shell", [linux])).toEqual({ text: here, isMissing: false });
  expect(offerFor("run_python", [linux], "linux")).toEqual({
    text: "Here: Python 3.13.5 with pandas 2.3.3 and 1 more library.",
    isMissing: false,
  });
  expect(offerFor("run_shell", [missing])).toEqual({ text: "Not here: Install bubblewrap.", isMissing: true });
  expect(offerFor("run_python", [missing])).toMatchObject({
    isMissing: false,
    text: expect.stringMatching(/standard/),
  });
});

test("an environment that is not set up is named with those that are", () => {
  const reason = "The environment r is not set up. Known: linux.";
  expect(offerFor("run_shell", [linux], "r")).toEqual({ text: `Not here: ${reason}`, isMissing: true });
  const python = `Here with the standard library only: ${reason}`;
  expect(offerFor("run_python", [linux], "r")).toEqual({ text: python, isMissing: true });
});

test("an environment is offered before it is known what it has", () => {
  const undescribed: Environment = { ...none, name: "linux", unavailable: null, engine: "lambda" };
  for (const tool of ["run_shell", "run_python"]) {
    const text = "Here: Linux (AWS Lambda). What it has is shown after its first program.";
    expect(offerFor(tool, [undescribed])).toEqual({ text, isMissing: false });
  }
});

test("nothing is said where environments are not known, and of other tools", () => {
  for (const known of [null, undefined]) expect(offerFor("run_shell", known)).toBeUndefined();
  expect(offerFor("read_file", [linux])).toBeUndefined();
  expect(offerFor("run_javascript", [missing])).toBeUndefined();
});

test("a system without well-known programs is described by numbers", () => {
  const bare: Environment = { ...linux, engine: "docker", programs: {}, python: { version: "3.12.0", libraries: {} } };
  expect([systemText(bare), pythonText(bare)]).toEqual(["Debian 13 (Docker)", "Python 3.12.0 with 0 libraries"]);
  expect(pythonText({ ...bare, python: { version: "", libraries: {} } })).toBe("no Python");
});

test("every tool of agents is explained in the form", () => {
  expect(Object.keys(toolHelp)).toEqual(expect.arrayContaining(schema.properties.tools.items.enum));
});
