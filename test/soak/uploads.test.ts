import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { startService } from "../integration/service.ts";

const uploads = 64;
/** It was 368 MB. Without a bound on large bodies it was 1,500 MB. */
const maxMegabytes = 600;

test.skipIf(process.platform !== "linux")(`${uploads} large creates at once stay within memory`, async () => {
  await using service = await startService();
  const { apiKey, templateId } = service;
  const content_base64 = Buffer.alloc(1024 * 1024, "one MiB ").toString("base64");
  const files = Array.from({ length: 10 }, (_, index) => ({ filename: `${index}.txt`, content_base64 }));
  const body = Buffer.from(JSON.stringify({ name: "large", template_id: templateId, files }));
  const send = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const response = await fetch(`${service.baseUrl}/v1/agents`, { method: "POST", headers, body });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: uploads }, send));
  expect(new Set(statuses)).toEqual(new Set([201]));

  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, "utf8"))?.[1]) / 1_024;
  console.log(`${uploads} creates of 14 MB at once: peak ${Math.round(peak)} MB`);
  expect(peak).toBeLessThan(maxMegabytes);
});
