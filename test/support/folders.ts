import { beforeAll, describe, expect, test } from "vitest";
import type { SharedSchemas } from "../../src/http/rest/schemas/schema-types.ts";
import { deletedFile, folderFiles, folderRun } from "./folder-run.ts";
import type { LocalService, RestCaller } from "./local-service.ts";

/** Tests of an API that shows the files of runs. `service`: the API's, once it has started. */
export function describeFolders(service: () => LocalService & { call: RestCaller }): void {
  describe("folders and deletions", () => {
    let inFolders: string;
    beforeAll(async () => {
      const { organizationId = "" } = (await service().platform.accounts.findAgent(service().templateId)) ?? {};
      inFolders = `/runs/${await folderRun(service().platform, { agentId: service().templateId, organizationId })}`;
    });

    const names = async (query = "") => {
      const { body } = await service().call<SharedSchemas["RunFilePage"]>("GET", `${inFolders}/files${query}`);
      return body.data.map(({ name }) => name);
    };

    test("are listed, now and at a step", async () => {
      expect(await names()).toEqual(Object.keys(folderFiles));
      expect(await names("?at=1.1")).toEqual([...Object.keys(folderFiles), deletedFile].toSorted());
      expect(await names("?at=1.2")).toEqual(Object.keys(folderFiles));
    });

    test("are downloaded by their names, with encoded slashes or plain ones", async () => {
      for (const [name, text] of Object.entries(folderFiles)) {
        for (const path of [encodeURIComponent(name), encodeURIComponent(name).replaceAll("%2F", "/")]) {
          const { status, headers, body } = await service().call<string>("GET", `${inFolders}/files/${path}`);
          expect([status, body]).toEqual([200, text]);
          const saved = encodeURIComponent(name.split("/").at(-1) ?? "");
          expect(headers.get("content-disposition")).toBe(`attachment; filename*=UTF-8''${saved}`);
        }
      }
      const path = `${inFolders}/files/${encodeURIComponent(deletedFile)}`;
      expect((await service().call("GET", path)).body).toMatchObject({ code: "file_not_found" });
      expect((await service().call<string>("GET", `${path}?at=1.1`)).body).toBe("old");
      for (const other of ["reports", "reports/", "q3.csv", "reports//q3.csv"]) {
        expect((await service().call("GET", `${inFolders}/files/${other}`)).body).toMatchObject({
          code: "file_not_found",
        });
      }
    });

    test("are changes in the record: only a deleted file has deleted", async () => {
      const { body } = await service().call<SharedSchemas["EventPage"]>("GET", `${inFolders}/events`);
      const changes = body.data.flatMap((event) => (event.type === "tool_result" ? [event.files] : []));
      expect(changes[0]?.some((file) => "deleted" in file || file.sha256 === null)).toBe(false);
      expect(changes[0]).toHaveLength(4);
      expect(changes[1]).toEqual([{ name: deletedFile, size: 0, sha256: null, deleted: true }]);
    });
  });
}
