import { expect, it } from "vitest";
import { WorkspaceNames } from "../../../src/agent/tools/files/workspace-names.ts";
import fc from "../../support/properties.ts";

/** Whether two names cannot be on one file system that ignores case. */
function collide(a: string, b: string): boolean {
  const [partsA, partsB] = [a.split("/"), b.split("/")];
  for (const [index, part] of partsA.entries()) {
    const other = partsB[index];
    if (other === undefined) return true; // b is a file where a has a folder
    if (part.toLowerCase() !== other.toLowerCase()) return false;
    if (part !== other) return true;
  }
  return partsB.length > partsA.length;
}

it("accepts exactly the names that can be beside all others, whatever was added and removed", () => {
  const part = fc.constantFrom("a", "A", "b", "c.txt");
  const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
  const action = fc.record({ name, remove: fc.boolean() });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), name, (actions, last) => {
      const names = new WorkspaceNames([]);
      const present = new Set<string>();
      for (const { name: each, remove } of [...actions, { name: last, remove: false }]) {
        if (remove) {
          names.remove(each);
          present.delete(each);
          continue;
        }
        const isAccepted = present.has(each) || [...present].every((other) => !collide(each, other));
        expect(names.problemOf(each) === undefined).toBe(isAccepted);
        if (!isAccepted) continue;
        names.add(each);
        present.add(each);
      }
    }),
  );
});
