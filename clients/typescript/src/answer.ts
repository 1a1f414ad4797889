import { inline, openFiles } from "./files.ts";
import type { CallAnswer } from "./options.ts";
import type { OpenCall } from "./types.ts";

/** The body of a request that answers a call. It says which arguments the answer is for. */
export async function answerBody(call: Pick<OpenCall, "id" | "arguments_sha256">, answer: CallAnswer): Promise<object> {
  const { id, arguments_sha256 } = call;
  if (!("files" in answer)) return { call: id, arguments_sha256, ...answer };
  const files = await Promise.all((await openFiles(answer.files ?? [])).map(inline));
  return { call: id, arguments_sha256, ...answer, files };
}
