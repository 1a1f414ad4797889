import { expect, test } from "vitest";
import { errorLine } from "../../../console/run/model/error-line.ts";

test.each([
  [
    "run_shell",
    "start\nbad: missing column amount\nThe script ended with exit code 3.",
    "exit code 3: bad: missing column amount",
  ],
  [
    "run_shell",
    "total 3\n\nwc: x: No such file\n\nThe script ended with exit code 1.",
    "exit code 1: wc: x: No such file",
  ],
  ["run_shell", "sorted\n[Wrote a.csv (12 bytes).]\nThe script ended with exit code 2.", "exit code 2: sorted"],
  ["run_shell", "The script ended with exit code 137.", "exit code 137"],
  [
    "run_shell",
    "error 1 of 9\nThe program was stopped after 120 seconds.",
    "The program was stopped after 120 seconds.",
  ],
  [
    "run_python",
    'Traceback (most recent call last):\n  File "program.py", line 2\nValueError: no rows\nThe script ended with exit code 1.',
    "exit code 1: ValueError: no rows",
  ],
  [
    "run_javascript",
    "row 0 some text\nReferenceError: report is not defined\n    at line 3",
    "ReferenceError: report is not defined",
  ],
  [
    "run_javascript",
    "row 0 some text\nrow 1 no error\nThe program was stopped: it printed more than 50000 characters. No files were saved.",
    "The program was stopped: it printed more than 50000 characters. No files were saved.",
  ],
  [
    "run_javascript",
    "errors: 0\n[Wrote a.csv.]\nTypeError: x is not a function (program.js:3)",
    "TypeError: x is not a function (program.js:3)",
  ],
  ["run_javascript", "Error: not valid:\nline 2 (program.js:1)", "Error: not valid:"],
  ["github__search", "Not found\nat all", "Not found"],
  ["run_shell", "", ""],
])("the error of %s after %j is %j", (tool, result, line) => {
  expect(errorLine(tool, result)).toBe(line);
});
