import type { Model, ModelAnswer } from "../../../src/agent/model.ts";
import { setKeyEnabled } from "../../../src/accounts/keys.ts";
import { awsStores } from "../../../src/platform/aws/open-platform.ts";
import { documentClient, loadS3Client } from "../../../src/platform/aws/sdk/clients.ts";
import { advance } from "../../../src/workflow/advance.ts";
import { createBody, headersOf, send, type UploadServerProcess } from "./upload-process.ts";

type Call = { writes: (text: string) => void; answers: (answer: Partial<ModelAnswer>) => void };

/** A run that the server created, and its turn in this process, as in `advance`. Its model says what the test says. */
export async function streamedWork(service: UploadServerProcess) {
  const credentials = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" };
  const clients = { region: "eu-central-1", credentials, endpoint: service.aws.endpoint };
  const documents = documentClient(clients);
  const stores = awsStores({ documents, s3: () => loadS3Client(clients), table: "table", bucket: "bucket" });
  const { body } = await send(service, createBody(service, [1]));
  const runId = (body as { agent_id: string }).agent_id;

  const waiting: ((call: Call) => void)[] = [];
  const calls: Call[] = [];
  const model: Model = ({ onText }) =>
    new Promise((resolve) => {
      const usage = { inputTokens: 1, outputTokens: 1 };
      const call: Call = {
        writes: (text) => onText?.(text, ""),
        answers: (answer) => resolve({ answer: { text: "", toolCalls: [], finishReason: "stop", usage, ...answer } }),
      };
      const receiver = waiting.shift();
      if (receiver) receiver(call);
      else calls.push(call);
    });
  const openModel = async () => ({ model, name: "m", provider: "p" });
  const budget = { signal: new AbortController().signal, deadline: Infinity };
  return {
    runId,
    stores,
    work: () =>
      advance({ ...stores, now: Date.now, secretOf: async () => undefined, openModel }, { runId, turn: 1 }, budget),
    nextCall: () =>
      new Promise<Call>((resolve) => {
        const call = calls.shift();
        if (call) resolve(call);
        else waiting.push(resolve);
      }),
    disableKey: () => setKeyEnabled(stores.accounts, service.apiKey, false),
    close: () => documents.destroy(),
  };
}

/** A stream of a run's events, as it arrives. `headers`: besides those of a client. */
export async function follow(service: UploadServerProcess, runId: string, headers: Record<string, string> = {}) {
  const leave = new AbortController();
  const url = `http://127.0.0.1:${service.port}/ext/v1/runs/${runId}/events`;
  const all = { ...headersOf(service), accept: "text/event-stream", ...headers };
  const response = await fetch(url, { headers: all, signal: leave.signal });
  const received = { text: "" };
  let ended = false;
  const done = (async () => {
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) received.text += decoder.decode(part as Uint8Array, { stream: true });
    ended = true; // not cut
  })().catch(() => {});
  return {
    status: response.status,
    headers: response.headers,
    received,
    done,
    hasEnded: () => ended,
    leave: () => leave.abort(),
    eventTypes: () => [...received.text.matchAll(/^event: event\ndata: (.*)$/gm)].map(([, json = ""]) => typeOf(json)),
  };
}

function typeOf(json: string): string {
  return (JSON.parse(json) as { type: string }).type;
}
