import { afterAll, beforeAll, expect, test } from "vitest";
import { pdf } from "../fixtures/documents.ts";
import { hostileDocuments } from "../fixtures/hostile-documents.ts";
import { answersWithResult, callsTool, chatServer } from "../providers/chat-completions-server.ts";
import { type Deployed, openDeployed, server } from "./deployed.ts";
import { admin } from "./service.ts";

let deployed: Deployed;
beforeAll(async () => {
  deployed = await openDeployed();
});
afterAll(() => deployed.close());

const hostile = hostileDocuments.find(({ name }) => name.startsWith("forms"))?.content() ?? Buffer.of();

test("advance ends the turn of a document that would take hours to read, and reads another one", async () => {
  const reads = callsTool("read_file", { name: "document.pdf" });
  await using model = await chatServer(reads, answersWithResult, reads, answersWithResult);
  const { id, api } = await deployed.newAgent(...server(model.baseUrl));
  await admin("agent", "update", id, "--file", "examples/document-reader.json");
  const texts: unknown[] = [];
  for (const content of [hostile, pdf("Hello")]) {
    const file = { filename: "document.pdf", content_base64: content.toString("base64") };
    const runId = await api.create("What does the document say?", [file]);
    const { loop_status, transcript } = await api.ended(runId);
    expect(loop_status).toBe("finished");
    texts.push(transcript[1]?.text);
  }
  expect(texts).toEqual([
    expect.stringMatching(/^It says: document.pdf is a PDF document of \d+ bytes; .*more than 30 seconds/),
    expect.stringContaining("Hello"),
  ]);
});
