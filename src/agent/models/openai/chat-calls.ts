import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { isObject } from "../../../json.ts";
import { type JsonRecord, toText } from "./chat-chunk.ts";

type Part = LanguageModelV4StreamPart;

/** Name of this API's part of provider options and metadata. Echoes have it, so it must not change. */
export const chatNamespace = "openai-compatible";

/** More calls of one response are dropped later, too. */
const maxCalls = 1_000;

interface Call {
  index: number | undefined;
  id: string | undefined;
  name: string;
  /** The arguments so far. */
  text: string;
  /** Where the arguments were scanned to, and how deep they were nested there. */
  scanned: { at: number; depth: number; inString: boolean };
  signature?: unknown;
}

interface CallPart {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  text: string;
}

/**
 * Puts tool calls together from their parts. Servers leave out the index or the id, repeat them for other calls, or change
 * them within a call (ollama/ollama#7881, vercel/ai#14277), and send names in several parts.
 */
export class ChatCalls {
  readonly #calls: Call[] = [];
  readonly #toolNames: readonly string[];
  #last: Call | undefined;

  /** `toolNames`: of the tools that the request offers. */
  constructor(toolNames: readonly string[]) {
    this.#toolNames = toolNames;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Adds a part of a call. Some servers send the arguments as an object, and all calls anew at the end. */
  add(json: JsonRecord): Part[] {
    const part = readPart(json);
    const known = this.#find(part);
    const call = known ?? this.#begin(part);
    const isRepeated = known !== undefined && part.id !== undefined && part.text === known.text && isWhole(known);
    this.#last = call;
    call.id ??= part.id;
    call.index ??= part.index;
    call.signature ??= signatureOf(json);
    if (part.name !== undefined && part.name !== call.name) call.name += part.name;
    if (!isRepeated) call.text += part.text;
    const id = call.id ?? "";
    return [
      ...(known ? [] : [{ type: "tool-input-start", id, toolName: call.name } as const]),
      ...(part.text === "" ? [] : [{ type: "tool-input-delta", id, delta: part.text } as const]),
    ];
  }

  #begin({ index, id }: CallPart): Call {
    const call: Call = { index, id, name: "", text: "", scanned: { at: 0, depth: 0, inString: false } };
    if (this.#calls.length < maxCalls) this.#calls.push(call);
    return call;
  }

  /** The call that a part continues. Undefined: it begins a call. */
  #find(part: CallPart): Call | undefined {
    const { index, id, name, text } = part;
    const begins = name !== undefined && /^\s*[{[]/.test(text);
    const fits = (call: Call): boolean => this.#fitsName(call, name);
    const ofId = id === undefined ? [] : this.#calls.filter((call) => call.id === id);
    if (ofId.length > 0) {
      const same = ofId.filter((call) => (index === undefined || call.index === index) && fits(call));
      if (same.length === 0 && name !== undefined) return undefined;
      return same.find((call) => call.text === text && text !== "") ?? lastOpen(same.length > 0 ? same : ofId, begins);
    }
    const ofIndex = index === undefined ? [] : this.#calls.filter((call) => call.index === index && fits(call));
    if (id !== undefined) {
      const hasOther = ofIndex.some((call) => call.id !== undefined);
      return lastOpen(ofIndex, hasOther && (begins || (name !== undefined && text.trim() === "")));
    }
    if (ofIndex.length > 0) return lastOpen(ofIndex, begins);
    const isNew = name !== undefined || (index !== undefined && !this.#calls.some((call) => call.index === undefined));
    return isNew ? undefined : this.#last;
  }

  /** Whether a name is that of the call, or its next part: then it continues the name of a tool (vllm-project/vllm#9693). */
  #fitsName({ name, text }: Call, part: string | undefined): boolean {
    if (part === undefined || name === "" || part === name) return true;
    return text === "" && this.#toolNames.some((tool) => tool.startsWith(name + part));
  }

  /** The calls in the order of their indexes, if all have one. A part without a name and arguments is no call. */
  end(): Part[] {
    const calls = this.#calls.filter(({ name, text }) => name !== "" || text !== "");
    const ordered = calls.every(({ index }) => index !== undefined)
      ? calls.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
      : calls;
    return ordered.map(toPart);
  }
}

function toPart({ id = "", name, text, signature }: Call): Part {
  const part: Part = { type: "tool-call", toolCallId: id, toolName: name, input: text };
  if (typeof signature === "string") part.providerMetadata = { [chatNamespace]: { thoughtSignature: signature } };
  return part;
}

/** Without `begins`: the last call. With it, the last one whose arguments are not complete. */
function lastOpen(calls: Call[], begins: boolean): Call | undefined {
  const open = calls.findLast((call) => !isWhole(call));
  return begins ? open : (open ?? calls.at(-1));
}

/** Whether the arguments so far are a whole object or list. Scans what has arrived since the last time. */
function isWhole({ text, scanned }: Call): boolean {
  for (; scanned.at < text.length; scanned.at++) {
    const character = text[scanned.at];
    if (scanned.inString) {
      if (character === "\\") scanned.at++;
      else if (character === '"') scanned.inString = false;
    } else if (character === '"') scanned.inString = true;
    else if (character === "{" || character === "[") scanned.depth++;
    else if (character === "}" || character === "]") scanned.depth--;
  }
  return text.trim() !== "" && scanned.depth === 0 && !scanned.inString;
}

function readPart({ index, id, function: details }: JsonRecord): CallPart {
  const { name, arguments: args } = isObject(details) ? details : {};
  const number = typeof index === "string" ? Number.parseInt(index) : index;
  const label = typeof id === "number" ? String(id) : toText(id);
  return {
    index: typeof number === "number" && Number.isInteger(number) ? number : undefined,
    id: label?.trim() ? label : undefined,
    name: toText(name)?.trim() ? toText(name) : undefined,
    text: isObject(args) ? JSON.stringify(args) : (toText(args) ?? ""),
  };
}

/** Gemini's signature of a call. */
function signatureOf({ extra_content }: JsonRecord): unknown {
  const google = isObject(extra_content) ? extra_content["google"] : undefined;
  return isObject(google) ? google["thought_signature"] || undefined : undefined;
}
