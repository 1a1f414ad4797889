import { randomBytes } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { createRequest, expectAnswer, head, openConnection } from "./load.ts";
import { type Kind, memoryOf, newDataDir, resetPeak, type Server, startServer } from "./servers.ts";
import { median, type Row } from "./table.ts";

const files = Array.from({ length: 10 }, (_, index) => {
  return { filename: `file-${index}.bin`, content: randomBytes(1_048_576) };
});
const warmUploads = 6;

interface Upload {
  firstMilliseconds: number;
  warmMilliseconds: number;
  /** MB over what was resident before the first upload. */
  firstPeak: number;
  warmPeak: number;
}

/** The largest create there is, 14 MB of JSON, against a server that only takes the same bytes in. */
export async function measureUpload({ rounds }: { rounds: number }): Promise<Row[]> {
  const receiving: Upload[] = [];
  const creating: Upload[] = [];
  const storing: number[] = [];
  for (let index = 0; index < rounds; index++) {
    receiving.push(await upload("floor"));
    creating.push(await upload("service"));
    storing.push(await storeFiles());
  }
  const over = (name: string, unit: Row["unit"], field: keyof Upload, atMost: number): Row[] => {
    const floor = median(receiving.map((one) => one[field]));
    const service = median(creating.map((one) => one[field]));
    return [
      { name, unit, floor, service },
      { name: `  ${name}, over receiving`, unit, service: service - floor, target: { atMost } },
    ];
  };
  return [
    ...over("first 14 MB create of a process", "ms", "firstMilliseconds", 60),
    ...over("14 MB create, warm", "ms", "warmMilliseconds", 60),
    ...over("extra peak memory of the first", "MB", "firstPeak", 60),
    ...over("extra peak memory, warm", "MB", "warmPeak", 60),
    { name: "writing such files to disk, alone", unit: "ms", service: median(storing) },
  ];
}

async function upload(kind: Kind): Promise<Upload> {
  const server = await startServer(kind, newDataDir());
  try {
    const connection = await openConnection(server);
    const request = kind === "floor" ? receiveRequest(server) : uploadRequest(server);
    const send = async () => (await expectAnswer(connection, request, 201)).milliseconds;
    const resident = memoryOf(server.pid, "VmRSS") ?? Number.NaN;
    const peak = () => (memoryOf(server.pid, "VmHWM") ?? Number.NaN) - resident;
    resetPeak(server.pid);
    const firstMilliseconds = await send();
    const firstPeak = peak();
    const times: number[] = [];
    for (let index = 0; index < warmUploads; index++) times.push(await send());
    const warmPeak = peak();
    connection.close();
    return { firstMilliseconds, warmMilliseconds: median(times), firstPeak, warmPeak };
  } finally {
    await server.end();
  }
}

// Without input text: what is measured is the create, not the agent's turn after it.
function uploadRequest(server: Server): Buffer {
  const inputs = files.map(({ filename, content }) => ({ filename, content_base64: content.toString("base64") }));
  return createRequest(server, { files: inputs });
}

function receiveRequest(server: Server): Buffer {
  const whole = uploadRequest(server);
  const body = whole.subarray(whole.indexOf("\r\n\r\n") + 4);
  return Buffer.concat([head("POST", "/receive", server.apiKey, body.length), body]);
}

/** How long this disk takes for the same files, so that a slow disk is not taken for a slow service. */
async function storeFiles(): Promise<number> {
  const folder = newDataDir();
  const begun = performance.now();
  await Promise.all(
    files.map(async ({ filename, content }) => {
      const handle = await open(join(folder, filename), "wx");
      await handle.writeFile(content);
      await handle.datasync();
      await handle.close();
    }),
  );
  const milliseconds = performance.now() - begun;
  await rm(folder, { recursive: true });
  return milliseconds;
}
