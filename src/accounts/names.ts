import { ServiceError } from "../errors.ts";
import { containsToken } from "./token.ts";

const maxNameLength = 200;

/** Throws if a name for people cannot be stored and shown. `of`: whose name it is, such as `the key's`. */
export function checkName(of: string, name: string): void {
  const problem =
    name.trim() === ""
      ? "is blank"
      : name.length > maxNameLength
        ? `has ${name.length} characters; at most ${maxNameLength} are accepted`
        : containsToken(name)
          ? "contains an API key or an operator token; a name is stored and shown"
          : undefined;
  if (problem !== undefined) throw new ServiceError("invalid_argument", `${of} name ${problem}`);
}
