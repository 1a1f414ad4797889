import { maxShownPages } from "../../documents/taken-pages.ts";
import { sandboxLimits } from "../../sandbox/program-limits.ts";
import type { ToolDefinition } from "../model.ts";
import { furtherInputs, runJavascript, runPythonDefinition, runShellDefinition } from "./program-definitions.ts";

const megabyte = 1024 * 1024;

/** Limits of the workspace tools. The definitions below state them for the model. */
export const workspaceLimits = {
  /** Lines that `read_file` returns by default. */
  defaultLines: 500,
  /** Characters that one `read_file` returns: about 5,000 tokens. */
  readCharacters: 20_000,
  /** Bytes of UTF-8 that `write_file` accepts. The longest answers of models are far smaller. */
  writeBytes: megabyte,
  /** Bytes of a file after `edit_file`. The same as the upload limit. */
  editBytes: 10 * megabyte,
  /** Files that `list_files` returns. */
  listedFiles: 200,
  /** Matching lines that `search_files` returns. */
  matches: 100,
  /** Time limit of one `search_files`. A word in 100 MB takes 0.6 s, one without regard to case 1.5 s. */
  searchSeconds: 5,
  /** Time limit for reading the documents of one `search_files`. A PDF of 60 pages took 0.4 s. */
  searchDocumentSeconds: 60,
  /** Longer lines are searched in parts, so that one part blocks the process for a bounded time. */
  searchPartCharacters: 16_384,
};

/** Limits of `web_fetch`. */
export const fetchLimits = {
  /** Bytes of a response body. */
  bytes: 5 * megabyte,
  /** Characters of the page that one call returns. The same as for `read_file`. */
  characters: 20_000,
  /** Time limit of one call, including redirects. */
  seconds: 30,
  redirects: 5,
};

const fileName = { type: "string", description: "File name, as returned by list_files, such as reports/a.csv." };

/**
 * The built-in tools as the model sees them without Linux, in the order of this file. `npm run generate` compiles their
 * input schemas to validators and writes their names to the schema of agent files. Keywords that need ajv at run time, such
 * as minLength, cannot be used.
 */
export const toolDefinitions: ToolDefinition[] = [];

/** Adds a definition to `toolDefinitions`. */
function define(definition: ToolDefinition): ToolDefinition {
  toolDefinitions.push(definition);
  return definition;
}

export const listFiles = define({
  name: "list_files",
  description:
    `List the files of the workspace with their sizes in bytes, at most ${workspaceLimits.listedFiles}. If there are more, ` +
    "also the folders with the numbers of their files.",
  input: {
    type: "object",
    properties: {
      glob: { type: "string", description: "List only files whose names match, as in search_files. Default: *." },
    },
    additionalProperties: false,
  },
});

export const readFile = define({
  name: "read_file",
  description:
    "Read a file of the workspace. Text files are returned by lines, and so is the text of documents: PDF, Word (DOCX), " +
    "Excel (XLSX: each sheet as a table, with formulas behind the values), PowerPoint (PPTX, with notes), OpenDocument " +
    "(ODT, ODS, ODP), RTF and email (EML). For a ZIP archive, the members are listed. The first line of the result says " +
    "which lines follow. A note at the end says how to continue. At most " +
    `${workspaceLimits.readCharacters} characters are returned. Images, and PDFs without text, are attached. Documents and ` +
    `archives have at most ${sandboxLimits.filesBytes} bytes; text files of any size can be read.`,
  input: {
    type: "object",
    properties: {
      name: fileName,
      offset: { type: "integer", minimum: 1, description: "First line to read, counted from 1. Default: 1." },
      limit: {
        type: "integer",
        minimum: 1,
        description: `Maximum number of lines. Default: ${workspaceLimits.defaultLines}.`,
      },
      column: {
        type: "integer",
        minimum: 1,
        description: "First character of the first line, counted from 1. Only for very long lines. Default: 1.",
      },
      part: {
        type: "string",
        description:
          "Part of a document to read: a sheet or its cells (Sales, or Sales!A1:F200), pages or slides (3, or 3-5), a " +
          "member of a ZIP archive or an attachment of an email (its name as listed). Default: all of it.",
      },
      encoding: {
        type: "string",
        description:
          "Read the file as plain text in this encoding, such as windows-1251. Only when characters look wrong, and not " +
          "with part. Default: detected. If the encoding is a guess, the result names it.",
      },
    },
    required: ["name"],
    additionalProperties: false,
  },
});

const shownPages = {
  type: "string",
  description:
    `Pages of a PDF to be shown as they are, such as 3 or 3-5, at most ${maxShownPages}. Alone with name. Default: all of a ` +
    `PDF that has at most ${maxShownPages}, or else its text.`,
};

/** `read_file` for agents whose models are shown the pages of PDFs. */
export const readFileWithPages: ToolDefinition = {
  ...readFile,
  description: `${readFile.description} The pages of a PDF are attached as they are, unless part, offset or limit is set.`,
  input: {
    ...readFile.input,
    properties: { ...(readFile.input as { properties: object }).properties, pages: shownPages },
  },
};

export const writeFile = define({
  name: "write_file",
  description: "Write a text file to the workspace. Replaces a file of the same name.",
  input: {
    type: "object",
    properties: {
      name: {
        type: "string",
        description:
          "File name, such as a.csv or reports/a.csv. Folders need not exist. No part of it begins with a dot.",
      },
      content: {
        type: "string",
        description: `Complete text of the file, at most ${workspaceLimits.writeBytes} bytes of UTF-8.`,
      },
    },
    required: ["name", "content"],
    additionalProperties: false,
  },
});

export const editFile = define({
  name: "edit_file",
  description:
    "Replace a part of a text file of the workspace. The rest of the file and its encoding do not change. At most " +
    `${workspaceLimits.editBytes} bytes in the file.`,
  input: {
    type: "object",
    properties: {
      name: fileName,
      old_text: {
        type: "string",
        description: "Text to replace, exactly as in the file. It must occur once, unless all is true.",
      },
      new_text: { type: "string", description: "Replacement. Empty: old_text is removed." },
      all: { type: "boolean", description: "Replace every occurrence of old_text. Default: false." },
    },
    required: ["name", "old_text", "new_text"],
    additionalProperties: false,
  },
});

export const deleteFile = define({
  name: "delete_file",
  description: "Delete a file of the workspace. A folder without files is gone.",
  input: { type: "object", properties: { name: fileName }, required: ["name"], additionalProperties: false },
});

export const searchFiles = define({
  name: "search_files",
  description:
    "Find the lines of the workspace's text files and documents that match a regular expression. Returned as " +
    "file:line: text, in documents with the page, slide or sheet: file:line (page 3): text. The lines are those that " +
    `read_file returns. At most ${workspaceLimits.matches} lines are returned. Lines of more than ` +
    `${workspaceLimits.searchPartCharacters} characters are searched in parts of that size.`,
  input: {
    type: "object",
    properties: {
      pattern: {
        type: "string",
        description:
          "Regular expression in RE2 syntax, matched against each line. Lookahead, lookbehind and backreferences are " +
          "not supported. A line that does not match is matched again with plain blanks, hyphens, quotes and letters " +
          "for typographic ones; the result names such lines. A phrase without operators is also found over the end of " +
          "a line of PDFs and emails.",
      },
      glob: {
        type: "string",
        description:
          "Search only files whose names match: *.csv or report-?.{md,txt} in all folders, reports/*.csv in one folder, " +
          "reports/**/*.csv in it and those below. Default: *.",
      },
      ignore_case: { type: "boolean", description: "Ignore case. Default: false." },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
});

define(runJavascript);
const runPython = define(runPythonDefinition());
define(runShellDefinition());

export const webFetch = define({
  name: "web_fetch",
  description:
    "Fetch a web page with GET. HTML is converted to Markdown. At most " +
    `${fetchLimits.characters} characters are returned. A note at the end says how to continue.`,
  input: {
    type: "object",
    properties: {
      url: { type: "string", description: "Address of the page, with https:// or http://." },
      offset: { type: "integer", minimum: 0, description: "Number of characters of the page to skip. Default: 0." },
    },
    required: ["url"],
    additionalProperties: false,
  },
});

export const askPerson = define({
  name: "ask_person",
  description:
    "Ask a person a question, and wait for the answer. It can take hours. Ask only for what the task needs and you cannot " +
    "find out yourself, and ask everything at once.",
  input: {
    type: "object",
    properties: {
      question: { type: "string", description: "The question, with all that is needed to answer it." },
      choices: {
        type: "array",
        items: { type: "string" },
        description: "Suggested answers. The person can answer something else.",
      },
    },
    required: ["question"],
    additionalProperties: false,
  },
});

/** Agents do not name this tool. It is offered while a conversation names results that it no longer has in full. */
export const readResult: ToolDefinition = {
  name: "read_result",
  description:
    "Read the result of an earlier tool call of this run again, as it was then. For results that were truncated, or that a " +
    `summary names. At most ${workspaceLimits.readCharacters} characters are returned. A note at the end says how to continue.`,
  input: {
    type: "object",
    properties: {
      result: {
        type: "string",
        description:
          "Number of the result: turn, step and call, such as 2.3.1. The number of a turn (2) or of a step (2.3) lists its results.",
      },
      offset: {
        type: "integer",
        minimum: 0,
        description: "Number of characters of the result, or of results in a list, to skip. Default: 0.",
      },
    },
    required: ["result"],
    additionalProperties: false,
  },
};

/** Tools of an agent whose definition names none. None of them has network access. */
export const defaultTools: string[] = [
  listFiles,
  readFile,
  writeFile,
  editFile,
  deleteFile,
  searchFiles,
  runJavascript,
  runPython,
].map(({ name }) => name);

/** The input schemas that `npm run generate` compiles, by the name of the validator. */
export const inputSchemas: Record<string, object> = {
  ...Object.fromEntries([...toolDefinitions, readResult].map(({ name, input }) => [name, input])),
  ...furtherInputs,
  read_file_pages: readFileWithPages.input,
};
