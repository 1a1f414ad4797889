import type { ToolDefinition } from "./model.ts";

/** Bounds of the workspace tools; the definitions below tell them to the model. */
export const workspaceLimits = {
  /** Lines that `read_file` gives when it is not told how many. */
  defaultLines: 500,
  /** Characters that one `read_file` gives at most: about 5,000 tokens. */
  readCharacters: 20_000,
  /** Bytes of UTF-8 that `write_file` writes at most: a model's longest answer is far below. */
  writeBytes: 1024 * 1024,
  /** Files of a workspace from which on `write_file` makes no new one. */
  files: 200,
};

const fileName = { type: "string", description: "The file's name, as list_files gives it." };

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
    "Reads a text file of the workspace by lines. The first line of the result says which lines it holds; a note at " +
    `the end says how to go on when there is more. At most ${workspaceLimits.readCharacters} characters at a time.`,
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

export const toolDefinitions: ToolDefinition[] = [listFiles, readFile, writeFile];
