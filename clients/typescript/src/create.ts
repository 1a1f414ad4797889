import type { Deadline } from "./clock.ts";
import { APIError, ConnectionFailed, CreateOutcomeUnknown, InvalidArgument, WaitTimeout } from "./errors.ts";
import { inline, type NamedBlob, openFiles, sha256 } from "./files.ts";
import { ext } from "./generated/operations.ts";
import { filled, type Http, type Request } from "./http.ts";
import { jsonSchemaOf, type ResultSchema } from "./result.ts";
import type { Agent, FileInput, RunLimits, RunSummary, Upload } from "./types.ts";

/** `Schema`: of the run's result. */
export interface CreateOptions<Schema extends ResultSchema = ResultSchema> {
  /** Display name, up to 200 characters. */
  name: string;
  /** The first input. Without one, the run waits for `sendInput`. */
  input?: string;
  /** Which of the key's agents. By default that of the client, or else the key's first one. */
  templateId?: string;
  /** At most 10. Large ones are uploaded first. */
  files?: readonly FileInput[];
  /** At most 16. */
  labels?: Record<string, string>;
  /** A URL that gets this run's webhooks, signed with the secret of the agent's webhook. */
  webhook?: string;
  /** The schema of the run's result, which becomes `run.result`. The agent file must set `result.perRun`. */
  result?: Schema;
  /** Limits at or below those of the agent: `{ run: { dollars: 0.5 } }`. */
  limits?: RunLimits;
  /** One of the agent's `run_models`, in place of its model. */
  model?: string;
  /**
   * A text of up to 255 visible ASCII characters. Creates with the same key and values return the same run, as long as it is
   * kept. By default, each call has its own key, and is repeated safely.
   */
  idempotencyKey?: string;
}

interface Context {
  http: Http;
  agent: Agent;
  templateId: string | undefined;
  deadline: Deadline;
}

/** Throws `InvalidArgument` for options that cannot be sent. */
export function checkCreate({ files = [], idempotencyKey }: CreateOptions): void {
  checkKey(idempotencyKey);
  if (!Array.isArray(files)) {
    const received = typeof files === "string" ? JSON.stringify(files) : "no array";
    throw new InvalidArgument(`files is ${received}; accepted: an array of paths, File objects and { name, content }`);
  }
}

/** Throws `InvalidArgument` for an idempotency key that the service would reject, or that no header can have. */
export function checkKey(idempotencyKey?: string): void {
  if (idempotencyKey === undefined || /^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) return;
  const { length } = idempotencyKey;
  const received = length > 255 ? `has ${length} characters` : `is ${JSON.stringify(idempotencyKey)}`;
  throw new InvalidArgument(`idempotencyKey ${received}; accepted: 1 to 255 visible ASCII characters, without spaces`);
}

/** Creates a run. Its idempotency key makes it safe to repeat. */
export async function createRun(context: Context, options: CreateOptions): Promise<RunSummary> {
  const { deadline, http } = context;
  const files = await openFiles(options.files ?? []);
  const key = options.idempotencyKey ?? crypto.randomUUID();
  const { name, input, labels, webhook, result, limits, model } = options;
  const templateId = options.templateId ?? context.templateId;
  const body = JSON.stringify({
    name,
    ...(templateId !== undefined && { template_id: templateId }),
    ...(input !== undefined && { input_text: input }),
    ...(await filesOf({ ...context, templateId }, files)),
    ...(labels && { labels }),
    ...(webhook !== undefined && { webhook: { url: webhook } }),
    ...(result && { result_schema: jsonSchemaOf(result) }),
    ...(limits && { limits }),
    ...(model !== undefined && { model }),
  });
  const headers = { "idempotency-key": key };
  const request: Request = { ...filled(ext.create_run), headers, body, deadline };
  return orUnknown(key, () => http.retry(deadline, () => http.object<RunSummary>(request, ["id", "status"])));
}

/** The files of a request: in it if they fit, otherwise uploaded before. */
async function filesOf(context: Context, files: NamedBlob[]) {
  if (files.length === 0) return {};
  const size = files.reduce((sum, { blob }) => sum + blob.size, 0);
  if (size <= context.agent.max_inline_bytes) return { files: await Promise.all(files.map(inline)) };
  const uploads: string[] = [];
  for (const file of files) uploads.push(await upload(context, file));
  return { uploads };
}

/** Uploads a file, which is read twice: for its SHA-256, and while it is sent. Resolves with its upload ID. */
async function upload({ http, templateId, deadline }: Context, { name, blob }: NamedBlob): Promise<string> {
  const file = { filename: name, size: blob.size, sha256: await sha256(blob) };
  const body = JSON.stringify({ ...file, ...(templateId !== undefined && { template_id: templateId }) });
  const begin: Request = { ...filled(ext.create_upload), body, deadline };
  const { upload_id, url, headers } = await http.retry(deadline, () =>
    http.object<Upload>(begin, ["upload_id", "url", "headers"]),
  );
  await http.retry(deadline, () => http.send({ method: "PUT", path: url, headers, body: blob, deadline }));
  return upload_id;
}

/** Replaces errors that leave open whether the server created the run by `CreateOutcomeUnknown`. */
async function orUnknown<Value>(idempotencyKey: string, create: () => Promise<Value>) {
  try {
    return await create();
  } catch (error) {
    const isUnknown =
      error instanceof ConnectionFailed ||
      error instanceof WaitTimeout ||
      (error instanceof APIError && error.status >= 500 && error.status !== 503);
    if (!isUnknown) throw error;
    const advice = `repeat it with the idempotency key ${JSON.stringify(idempotencyKey)}, which returns the run if it exists`;
    const message = `no answer to the create, so whether the run exists is unknown (${error.message}); ${advice}`;
    throw new CreateOutcomeUnknown(message, { idempotencyKey, cause: error });
  }
}
