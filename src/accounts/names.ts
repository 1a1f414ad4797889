import { ServiceError } from "../errors.ts";
import { containsToken } from "./token.ts";

const maxNameLength = 200;

/** Characters that could hide or reorder text where a name is shown, or start a line: also controls of writing direction. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Throws if a name for people cannot be stored and shown. `of`: whose name it is, such as `the key's`. */
export function checkName(of: string, name: string): void {
  const problem = problemOf(name);
  if (problem !== undefined) throw new ServiceError("invalid_argument", `${of} name ${problem}`);
}

function problemOf(name: string): string | undefined {
  if (name.trim() === "") return "is blank";
  if (name.length > maxNameLength) {
    return `has ${name.length} characters; at most ${maxNameLength} are accepted`;
  }
  const codePoint = invisible.exec(name)?.[0].codePointAt(0);
  if (codePoint !== undefined) {
    const code = codePoint.toString(16).toUpperCase().padStart(4, "0");
    return `contains the character U+${code}; control and format characters are not accepted, remove it`;
  }
  if (containsToken(name)) return "contains an API key or an operator token; a name is stored and shown";
  return undefined;
}
