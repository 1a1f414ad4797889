import { basePath, type Operations, operations } from "../../src/manage/generated/operations.ts";

export type { Operations };
export type OperationName = keyof Operations;

type Table = Partial<Record<OperationName, readonly [method: string, path: string]>>;

const known: Table = { ...operations };

/** Adds operations that the first view does not load. The module that calls them does this once. */
export function addOperations(table: Table): void {
  Object.assign(known, table);
}

/** Method and address of an operation: its path with the parameters that the path names, and the others as a query. */
export function requestOf<Name extends OperationName>(
  name: Name,
  parameters: Operations[Name]["parameters"],
): { method: string; address: string } {
  const query = new URLSearchParams();
  const [method, template] = known[name] ?? missing(name);
  let path = template;
  for (const [key, value] of Object.entries(parameters)) {
    if (value === undefined || value === "") continue;
    const filled = path.replace(`{${key}}`, () => encodeURIComponent(String(value)));
    if (filled === path) for (const each of [value].flat()) query.append(key, String(each));
    path = filled;
  }
  return { method, address: `${basePath}${path}${query.size > 0 ? `?${query}` : ""}` };
}

function missing(name: string): never {
  throw new Error(`operation ${name} is not loaded`);
}
