import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { Schemas } from "../../../src/ext/call.ts";
import { forAll, type Work } from "./callers.ts";

const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex");

/** Uploads that a create of the check names. */
const filesPerRun = 10;

/** Each upload that was acknowledged can be named in a create, and is the file that was sent. */
export function uploads(): Work {
  let sent = 0;
  const received: { id: string; filename: string; sha256: string }[] = [];
  return {
    name: "uploads",
    callers: 2,
    acknowledged: () => received.length,
    async round(service, numbers) {
      const filename = `upload-${++sent}.bin`;
      const content = randomBytes(1 + numbers.next(200_000));
      const sha256 = hashOf(content);
      const body = { filename, size: content.length, sha256 };
      const { upload_id, url } = (await service.send<Schemas["Upload"]>("POST", "/ext/v1/uploads", { body })).body;
      await service.send("PUT", url, { body: content });
      received.push({ id: upload_id, filename, sha256 });
    },
    async check(service, count) {
      const all = received.slice(0, count);
      const groups = Map.groupBy(all, (upload) => Math.floor(all.indexOf(upload) / filesPerRun));
      await forAll(groups.values(), async (group) => {
        const body = { name: "uploads", uploads: group.map(({ id }) => id) };
        const { id } = (await service.send<{ id: string }>("POST", "/ext/v1/runs", { body })).body;
        for (const { filename, sha256 } of group) {
          const file = await service.send("GET", `/ext/v1/runs/${id}/files/${filename}`);
          expect([filename, hashOf(file.bytes)]).toEqual([filename, sha256]);
        }
      });
    },
  };
}
