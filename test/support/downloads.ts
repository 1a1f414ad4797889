import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { folderFiles, folderRun } from "./folder-run.ts";
import type { LocalService, RestCaller } from "./local-service.ts";

/** Tests of an API that sends the files of runs. `service`: the API's, once it has started. */
export function describeDownloads(service: () => LocalService & { call: RestCaller }): void {
  describe("downloads", () => {
    const name = "reports/2026/März 100%.csv";
    const text = folderFiles[name] ?? ""; // 8 bytes
    const etag = `"${createHash("sha256").update(text).digest("hex")}"`;
    const other = `"${"0".repeat(64)}"`;
    let path: string;
    beforeAll(async () => {
      const { organizationId = "" } = (await service().platform.accounts.findAgent(service().templateId)) ?? {};
      const id = await folderRun(service().platform, { agentId: service().templateId, organizationId });
      path = `/runs/${id}/files/${encodeURIComponent(name)}`;
    });

    const send = (headers: Record<string, string> = {}, method = "GET") =>
      service().call<string>(method, path, { headers });

    test.for([["GET"], ["HEAD"]] as const)("%s has the length, and the SHA-256 as the ETag", async ([method]) => {
      // Ranges are defined for GET alone.
      const { status, headers } = await send(method === "HEAD" ? { range: "bytes=1-2" } : {}, method);
      const expected = { etag, "accept-ranges": "bytes", "content-length": "8" };
      expect([status, Object.fromEntries(headers)]).toEqual([200, expect.objectContaining(expected)]);
    });

    test.for([
      ["bytes=2-5", "2-5", "b\n1,"],
      ["bytes=5-", "5-7", ",2\n"],
      ["bytes=-3", "5-7", ",2\n"],
      ["bytes=-100", "0-7", text],
      ["bytes=7-9999999999999999999999", "7-7", "\n"],
    ] as const)("%s is a part", async ([range, sent, part]) => {
      const { status, headers, body } = await send({ range });
      expect([status, headers.get("content-range"), body]).toEqual([206, `bytes ${sent}/8`, part]);
      expect([headers.get("content-length"), headers.get("etag")]).toEqual([String(part.length), etag]);
    });

    test.for([["bytes=0-1,4-5"], ["bytes=5-2"], ["bytes=-"], ["bytes=a-b"], ["lines=1-2"], [""]] as const)(
      "%j is answered with the whole file",
      async ([range]) => {
        const { status, headers, body } = await send({ range });
        expect([status, body, headers.get("content-range")]).toEqual([200, text, null]);
      },
    );

    test.for([["bytes=8-"], ["bytes=9999999999999999999999-"], ["bytes=-0"]] as const)(
      "%s has no byte of the file",
      async ([range]) => {
        const { status, headers, body } = await service().call("GET", path, { headers: { range } });
        expect([status, body["code"], headers.get("content-range")]).toEqual([
          416,
          "range_not_satisfiable",
          "bytes */8",
        ]);
        expect(body["detail"]).toBe(`Range is "${range}"; the file has 8 bytes, from 0 to 7`);
      },
    );

    test("continue only the content that the client has a part of", async () => {
      const range = "bytes=4-";
      expect((await send({ range, "if-range": etag })).status).toBe(206);
      for (const changed of [other, `W/${etag}`, "Thu, 26 Nov 2026 12:00:00 GMT"]) {
        const { status, body } = await send({ range, "if-range": changed });
        expect([status, body]).toEqual([200, text]);
      }
    });

    test("are left out if the client has the content", async () => {
      for (const known of [etag, `W/${etag}`, `${other}, ${etag}`, "*"]) {
        const { status, headers, body } = await send({ "if-none-match": known });
        expect([status, headers.get("etag"), headers.get("content-length"), body]).toEqual([304, etag, null, ""]);
      }
      expect((await send({ "if-none-match": etag }, "HEAD")).status).toBe(304);
      expect((await send({ "if-none-match": other })).status).toBe(200);
    });

    test("are refused if the content is another one than the client expects", async () => {
      expect((await send({ "if-match": `${other}, ${etag}` })).status).toBe(200);
      const { status, body } = await service().call("GET", path, { headers: { "if-match": `W/${etag}` } });
      expect([status, body["code"]]).toEqual([412, "file_changed"]);
    });
  });
}
