import { type Path, pathText } from "./json.ts";

/** An entry of the API's list of violations (422). */
export interface Violation {
  loc: (string | number)[];
  msg: string;
}

/** Messages at their fields, by `limits.steps`. `other`: messages that belong to no field. */
export interface FieldMessages {
  at: Map<string, string>;
  other: string[];
}

export const noMessages: FieldMessages = { at: new Map(), other: [] };

/** Places the violations of a rejected definition. A sentence of several fields begins with the name of one. */
export function fieldMessages(detail: string | Violation[], fields: readonly string[]): FieldMessages {
  const messages: FieldMessages = { at: new Map(), other: [] };
  for (const { path, text } of typeof detail === "string" ? sentences(detail) : detail.map(placed)) {
    const place = pathText(path);
    if (path.length === 0) messages.other.push(text);
    else if (!fields.includes(String(path[0])))
      messages.other.push(typeof detail === "string" ? text : `${place}: ${text}`);
    else if (!messages.at.has(place)) messages.at.set(place, text);
  }
  return messages;
}

function placed({ loc, msg }: Violation): { path: Path; text: string } {
  const path = loc.slice(loc[0] === "body" ? 1 : 0);
  return { path: path[0] === "definition" ? path.slice(1) : path, text: msg };
}

/** "prices is missing; limits.dollars requires it" belongs to `prices`. */
function sentences(detail: string): { path: Path; text: string }[] {
  return detail.split("\n").map((text) => {
    const name = /^(?:the )?([\w.]+)/.exec(text)?.[1] ?? "";
    const path = name.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    return { path, text };
  });
}

/** The message of a field, or of a part of it that has no field. */
export function messageOf({ at }: FieldMessages, path: Path, withParts = false): string | undefined {
  const place = pathText(path);
  const part = withParts ? [...at].find(([name]) => name.startsWith(`${place}.`))?.[1] : undefined;
  return at.get(place) ?? part;
}

/** The message of a part of a field that is written as text, with the part's place: "0.name: …". */
export function partMessage({ at }: FieldMessages, path: Path): string | undefined {
  const place = `${pathText(path)}.`;
  const found = [...at].find(([name]) => name.startsWith(place));
  return found && `${found[0].slice(place.length)}: ${found[1]}`;
}
