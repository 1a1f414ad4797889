import { sandboxDocumentReader } from "../../sandbox/document-reader.ts";
import { programSeconds } from "../../sandbox/linux/linux-limits.ts";
import { defaultEnvironment, type Linux, type NoLinux } from "../../sandbox/linux/linux-types.ts";
import type { Sandbox } from "../../sandbox/sandbox-types.ts";
import type { ReadDocument, TakePages } from "../../documents/read-document.ts";
import type { AddressScope } from "../../net/addresses.ts";
import { askPersonTool } from "./client-tools.ts";
import { deleteFileTool } from "./files/delete-file.ts";
import { cachedDocuments } from "./files/document-cache.ts";
import { listFilesTool } from "./files/list-files.ts";
import { readFileTool } from "./files/read-file.ts";
import { runJavascriptTool, webAssemblyPythonTool } from "./run-code.ts";
import { linuxPythonTool, runShellTool } from "./run-program.ts";
import { searchFilesTool } from "./files/search-files.ts";
import type { Tool } from "./tool.ts";
import { webFetchTool } from "./web-fetch.ts";
import { editFileTool, writeFileTool } from "./files/write-files.ts";

/** What the built-in tools need from the platform. */
export interface BuiltInToolDependencies {
  /** Absent: JavaScript cannot be run, and Python only in `linux`. */
  sandbox?: Sandbox;
  /**
   * The agent's Linux environment, or why it cannot be used. Absent or unavailable: there is no shell, and Python runs in
   * `sandbox`.
   */
  linux?: Linux | NoLinux;
  /** Time limit of a program in `linux` for which the model sets none. Default: that of `programSeconds`. */
  defaultProgramSeconds?: number;
  /**
   * Must read in another process: a hostile document can block or crash its process. Reads web pages if there is no
   * `sandbox`. Absent: documents cannot be read.
   */
  readDocument?: ReadDocument;
  /** Takes pages of PDFs, in another process for the same reason. Absent: pages cannot be shown. */
  takePages?: TakePages;
  /** Whether all models of the turn accept PDFs. Default: they do not. */
  acceptsPdf?: boolean;
  /** Addresses that tools may connect to. Default: `public`. */
  addresses?: AddressScope;
}

/** What `web_fetch` may connect to. */
export interface WebFetchOptions {
  /** Whether private addresses are accepted, too, if the platform allows it. */
  privateAddresses?: boolean;
  /** Names of hosts, such as `docs.example.com` or `*.example.com`. Absent or empty: those of the organization, or all. */
  hosts?: string[];
}

/** How `read_file` reads. */
export interface ReadFileOptions {
  /** `pages`: models that accept PDFs are shown the pages themselves. Default: `text`. */
  pdf?: "text" | "pages";
}

/** The part of an agent's definition that selects its built-in tools. */
export interface BuiltInToolChoice {
  tools: string[];
  /** Name of the Linux environment. Absent: `linux`. */
  environment?: string;
  readFile?: ReadFileOptions;
  webFetch?: WebFetchOptions;
}

const noDocuments: ReadDocument = async () => ({ problem: "documents cannot be read in this deployment" });

/** All built-in tools by name. README lists the steps to add one. */
const builtIns: Record<string, (dependencies: BuiltInToolDependencies, agent: BuiltInToolChoice) => Tool> = {
  list_files: () => listFilesTool,
  read_file({ readDocument = noDocuments, takePages, acceptsPdf = false }, { readFile }) {
    return readFileTool({ readDocument, takePages, showsPages: acceptsPdf && readFile?.pdf === "pages" });
  },
  write_file: () => writeFileTool,
  edit_file: () => editFileTool,
  delete_file: () => deleteFileTool,
  search_files: ({ readDocument = noDocuments }) => searchFilesTool(readDocument),
  run_javascript: ({ sandbox }) => runJavascriptTool(sandbox),
  // A machine's own programs may be without Python.
  run_python({ linux, sandbox, defaultProgramSeconds = programSeconds.defaultSeconds }, { environment }) {
    if (linux && !("unavailable" in linux) && linux.facts.python.version !== "") {
      return linuxPythonTool(linux, defaultProgramSeconds);
    }
    const wanted = environment === defaultEnvironment ? undefined : environment;
    return webAssemblyPythonTool(sandbox, wanted === undefined ? undefined : withoutEnvironment(wanted, linux));
  },
  run_shell: ({ linux, defaultProgramSeconds = programSeconds.defaultSeconds }) =>
    runShellTool(linux, defaultProgramSeconds),
  web_fetch({ addresses = "public", sandbox, readDocument = noDocuments }, { webFetch }) {
    const reader = sandbox ? sandboxDocumentReader(sandbox) : readDocument;
    const rules = { addresses: webFetch?.privateAddresses === true ? addresses : ("public" as const) };
    return webFetchTool(rules, reader, webFetch?.hosts);
  },
  ask_person: () => askPersonTool,
};

/** Why `run_python` does not run in the environment that the agent names. */
function withoutEnvironment(name: string, linux: Linux | NoLinux | undefined): string {
  const reason = linux && "unavailable" in linux ? ` ${linux.unavailable}` : "";
  return `run_python has Python's standard library only, without the environment ${JSON.stringify(name)}.${reason}`;
}

export const toolNames: string[] = Object.keys(builtIns);

/** The built-in tools of an agent, in the agent's order. Unknown names are ignored. */
export function builtInTools(agent: BuiltInToolChoice, dependencies: BuiltInToolDependencies): Tool[] {
  const { readDocument } = dependencies;
  const needs = readDocument ? { ...dependencies, readDocument: cachedDocuments(readDocument) } : dependencies;
  return agent.tools.flatMap((name) => builtIns[name]?.(needs, agent) ?? []);
}
