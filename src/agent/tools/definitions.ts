import { sandboxLimits } from "../../sandbox/limits.ts";
import type { ToolDefinition } from "../model.ts";

const megabyte = 1024 * 1024;

/** Bounds of the workspace tools; the definitions below tell them to the model. */
export const workspaceLimits = {
  /** Lines that `read_file` gives when it is not told how many. */
  defaultLines: 500,
  /** Characters that one `read_file` gives at most: about 5,000 tokens. */
  readCharacters: 20_000,
  /** Bytes of UTF-8 that `write_file` writes at most: a model's longest answer is far below. */
  writeBytes: megabyte,
  /** Bytes of a file after `edit_file`: what can be uploaded can be edited. */
  editBytes: 10 * megabyte,
  /** Files of a workspace from which on no tool makes a new one. */
  files: 200,
  /** Matching lines that `search_files` gives at most. */
  matches: 100,
  /** Seconds for one `search_files`. */
  searchSeconds: 5,
};

/** Bounds of `web_fetch`. */
export const fetchLimits = {
  /** Bytes of a response's body. */
  bytes: 5 * megabyte,
  /** Characters of the page that one call gives, as `read_file`. */
  characters: 20_000,
  /** For everything, redirects included. */
  seconds: 30,
  redirects: 5,
};

const fileName = { type: "string", description: "The file's name, as list_files gives it." };

const fileNames = {
  type: "array",
  items: { type: "string" },
  description:
    "Names of the workspace's files that the program needs. Default: all. " +
    `Together at most ${sandboxLimits.filesBytes} bytes.`,
};

const seconds = {
  type: "integer",
  minimum: 1,
  maximum: sandboxLimits.maxSeconds,
  description: `How long the program may run. Default: ${sandboxLimits.defaultSeconds}.`,
};

const sandboxBounds =
  `Files that it writes are in the workspace afterwards, at most ${sandboxLimits.writtenFiles}; names have no folders. ` +
  `It may print ${sandboxLimits.outputCharacters} characters. There is no network. Nothing but the files stays for the next call.`;

/**
 * The built-in tools as the model sees them. Their inputs' validators are compiled ahead of time from these schemas
 * (`npm run generate`); keywords that need ajv at run time, such as minLength, can't be used.
 */
export const listFiles = {
  name: "list_files",
  description: "Lists the files of the workspace with their sizes in bytes.",
  input: { type: "object", properties: {}, additionalProperties: false },
} satisfies ToolDefinition;

export const readFile = {
  name: "read_file",
  description:
    "Reads a file of the workspace. Text, and the text of PDF and Word (DOCX) documents, by lines: the first line of " +
    "the result says which lines it holds; a note at the end says how to go on when there is more. At most " +
    `${workspaceLimits.readCharacters} characters at a time. Images, and PDFs without text, are shown as they are.`,
  input: {
    type: "object",
    properties: {
      name: fileName,
      offset: { type: "integer", minimum: 1, description: "First line to read, counted from 1. Default: 1." },
      limit: {
        type: "integer",
        minimum: 1,
        description: `How many lines to read at most. Default: ${workspaceLimits.defaultLines}.`,
      },
      column: {
        type: "integer",
        minimum: 1,
        description: "Where to begin in the first line, counted from 1. Only for very long lines. Default: 1.",
      },
    },
    required: ["name"],
    additionalProperties: false,
  },
} satisfies ToolDefinition;

export const writeFile = {
  name: "write_file",
  description: "Writes a text file into the workspace. A file of the same name is replaced.",
  input: {
    type: "object",
    properties: {
      name: { type: "string", description: "The file's name: no folders, no leading dot." },
      content: {
        type: "string",
        description: `The whole text of the file, at most ${workspaceLimits.writeBytes} bytes of UTF-8.`,
      },
    },
    required: ["name", "content"],
    additionalProperties: false,
  },
} satisfies ToolDefinition;

export const editFile = {
  name: "edit_file",
  description: "Replaces a part of a text file of the workspace by another text, and leaves the rest as it is.",
  input: {
    type: "object",
    properties: {
      name: fileName,
      old_text: {
        type: "string",
        description:
          "What is to be replaced, exactly as it is in the file. It has to be there once, unless all is true.",
      },
      new_text: { type: "string", description: "What is to be there instead. Empty: old_text is removed." },
      all: { type: "boolean", description: "Replace every place where old_text is. Default: false." },
    },
    required: ["name", "old_text", "new_text"],
    additionalProperties: false,
  },
} satisfies ToolDefinition;

export const searchFiles = {
  name: "search_files",
  description:
    "Finds the lines of the workspace's text files that match a regular expression, as file:line: text. " +
    `At most ${workspaceLimits.matches} lines.`,
  input: {
    type: "object",
    properties: {
      pattern: { type: "string", description: "A JavaScript regular expression, matched against each line." },
      glob: {
        type: "string",
        description: "Only files whose names match, such as *.csv or report-?.{md,txt}. Default: *.",
      },
      ignore_case: { type: "boolean", description: "Take upper and lower case letters as the same. Default: false." },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
} satisfies ToolDefinition;

export const runJavascript = {
  name: "run_javascript",
  description:
    "Runs a JavaScript program over the workspace's files and gives what it prints with console.log, and the value of " +
    "its last expression. It has the language (ES2024, await at the top level) and these functions, all synchronous: " +
    "readFile(name) gives a text, readBytes(name) a Uint8Array, listFiles() gives [{name, size}], " +
    "writeFile(name, textOrBytes) writes, and parseCsv(text, separator) gives an object per row, by the first row's names, " +
    `all values strings. No modules, no timers, 128 MB of memory. ${sandboxBounds}`,
  input: {
    type: "object",
    properties: { code: { type: "string", description: "The program." }, files: fileNames, seconds },
    required: ["code"],
    additionalProperties: false,
  },
} satisfies ToolDefinition;

export const runShell = {
  name: "run_shell",
  description:
    "Runs a bash script over the workspace's files, which are in its working directory, and gives what it prints. A " +
    "simulated shell: the usual text tools (grep, sed, awk, sort, jq, sqlite3, xan for CSV, tar, gzip and so on), and " +
    `python3 with its standard library only. ${sandboxBounds}`,
  input: {
    type: "object",
    properties: { script: { type: "string", description: "The script." }, files: fileNames, seconds },
    required: ["script"],
    additionalProperties: false,
  },
} satisfies ToolDefinition;

export const webFetch = {
  name: "web_fetch",
  description:
    "Reads a page of the web with GET. HTML becomes Markdown. At most " +
    `${fetchLimits.characters} characters at a time; a note at the end says how to go on when there is more.`,
  input: {
    type: "object",
    properties: {
      url: { type: "string", description: "The page's address, with https:// or http://." },
      offset: { type: "integer", minimum: 0, description: "How many characters of the page to skip. Default: 0." },
    },
    required: ["url"],
    additionalProperties: false,
  },
} satisfies ToolDefinition;

export const toolDefinitions: ToolDefinition[] = [
  listFiles,
  readFile,
  writeFile,
  editFile,
  searchFiles,
  runJavascript,
  runShell,
  webFetch,
];
