import { randomBytes } from "node:crypto";
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
  /** MB above the resident memory before the first upload. */
  firstPeak: number;
  warmPeak: number;
}

/** The largest create, 14 MB of JSON. Floor: a server that only receives the same bytes. */
export async function measureUpload({ rounds }: { rounds: number }): Promise<Row[]> {
  const receiving: Upload[] = [];
  const creating: Upload[] = [];
  for (let index = 0; index < rounds; index++) {
    receiving.push(await upload("floor"));
    creating.push(await upload("service"));
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

// Without input text no turn starts, so only the create is measured.
function uploadRequest(server: Server): Buffer {
  const inputs = files.map(({ filename, content }) => ({ filename, content_base64: content.toString("base64") }));
  return createRequest(server, { files: inputs });
}

function receiveRequest(server: Server): Buffer {
  const whole = uploadRequest(server);
  const body = whole.subarray(whole.indexOf("\r\n\r\n") + 4);
  return Buffer.concat([head("POST", "/receive", server.apiKey, body.length), body]);
}
