import { badRequest } from "./mcp-errors.ts";
import { inputs } from "./tools/inputs.ts";

/** OpenAI and others accept 64 characters in a name, and some clients put the name of the server before it. */
const maxPrefixLength = 24;
const validPrefix = new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]{0,${maxPrefixLength - 1}}$`);
const { task: _ofRequests, ...ofTools } = inputs;
/** The tools, without a prefix. */
export type ToolName = keyof typeof ofTools;
const names = new RegExp(`\\b(${Object.keys(ofTools).join("|")})\\b`, "g");

/** Names the tools in a text of this server: with the prefix that the client asked for. */
export type Named = <Text extends string>(text: Text) => Text;

/** Names the tools with a prefix: `sales_start_run`. Throws for one that is not valid. Undefined: without a prefix. */
export function namedWith(prefix: string | undefined): Named {
  if (prefix === undefined) return (text) => text;
  if (!validPrefix.test(prefix)) {
    throw badRequest(
      "invalid_request",
      `Invalid Request: prefix is ${JSON.stringify(prefix)}; expected 1 to ${maxPrefixLength} letters, digits, hyphens and underscores, the first a letter or digit`,
    );
  }
  return <Text extends string>(text: Text) => text.replaceAll(names, `${prefix}_$1`) as Text;
}
