import { expect, test } from "vitest";
import { leftNames, ownName } from "../../../src/sandbox/linux/bubblewrap/own-names.ts";

test("names of services that have ended are left ones, also where their process id is used again", () => {
  const own = ownName("agent-x");
  const names = [
    own,
    `agent-x-${process.pid}-00000000`, // an earlier process with this id
    `agent-x-${process.ppid}-00000000`,
    "agent-x-4999999-00000000", // above the largest id of Linux
    "agent-x-4999999",
    "agent-x-4999999-other",
    "agent-xy-4999999",
  ];
  expect(leftNames("agent-x", names)).toEqual([names[1], names[3], names[4]]);
});
