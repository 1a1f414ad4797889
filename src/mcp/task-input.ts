import type { ElicitRequest, InputRequests, McpServer } from "@modelcontextprotocol/server";
import { isObject } from "../json.ts";
import type { AnswerBody } from "../operations/given-answer.ts";
import { keysApprove } from "../runs/control/answer-call.ts";
import { openCallsOf } from "../runs/read/describe-runs.ts";
import type { AskedCall } from "../runs/read/open-calls.ts";
import type { Run } from "../runs/run-types.ts";
import { type McpCall, operationCall } from "./call.ts";

/**
 * What a task asks the client's user, by the id of the call that waits: approvals, if the agent lets keys give them, and
 * questions. Empty for a client without forms. Client tools are not asked about: the tool `answer_call` takes their results.
 */
export async function inputRequests({ server }: McpServer, call: McpCall, run: Run): Promise<InputRequests> {
  const forms = server.getClientCapabilities()?.elicitation;
  if (!forms || (forms.url && !forms.form)) return {};
  const approves = await keysApprove(call.accounts, run);
  const asked = (await openCallsOf(call.runs, run)).flatMap((open): [string, ElicitRequest][] => {
    if (open.kind === "question") return [[open.id, questionRequest(open)]];
    return open.kind === "approval" && approves ? [[open.id, approvalRequest(open)]] : [];
  });
  return Object.fromEntries(asked);
}

/** Answers calls with what the client's user has said. Calls that do not wait, and dismissed forms, are skipped. */
export async function acceptResponses(call: McpCall, run: Run, responses: Record<string, unknown>): Promise<void> {
  for (const open of await openCallsOf(call.runs, run)) {
    const answer = answerIn(open, responses[open.id]);
    if (!answer) continue;
    // The form showed the arguments, and those of a call never change.
    const body = { call: open.id, arguments_sha256: open.argumentsHash, ...answer };
    await call.handlers.answer_call(operationCall(call, { path: { run_id: run.id }, body }));
  }
}

function approvalRequest({ name, arguments: shown }: AskedCall): ElicitRequest {
  const message = `The agent wants to call ${name} with exactly these arguments:\n${shown}`;
  const decision = { type: "string", title: "Decision", enum: ["allow", "deny"] } as const;
  const reason = { type: "string", title: "Reason", description: "For the agent, if you deny it." } as const;
  return form(message, { decision, reason }, "decision");
}

function questionRequest({ arguments: text }: AskedCall): ElicitRequest {
  const { question, choices = [] } = JSON.parse(text) as { question: string; choices?: string[] };
  const message = choices.length > 0 ? `${question}\nSuggested answers: ${choices.join("; ")}` : question;
  return form(message, { answer: { type: "string", title: "Answer" } }, "answer");
}

type Properties = Extract<ElicitRequest["params"], { requestedSchema: unknown }>["requestedSchema"]["properties"];

function form(message: string, properties: Properties, required: string): ElicitRequest {
  const requestedSchema = { type: "object" as const, properties, required: [required] };
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

/** Undefined: there is no answer, or it is none to a form. */
function answerIn({ kind }: AskedCall, response: unknown): Partial<AnswerBody> | undefined {
  if (!isObject(response) || kind === "client_tool") return undefined;
  const { action, content } = response;
  const { decision, reason, answer } = isObject(content) ? content : {};
  if (action === "decline") return kind === "approval" ? { decision: "deny" } : declined;
  if (action !== "accept") return undefined;
  if (kind === "question") return typeof answer === "string" ? { output: answer } : undefined;
  if (decision === "allow") return { decision };
  return decision === "deny" ? { decision, ...(typeof reason === "string" && reason && { reason }) } : undefined;
}

const declined = { error: "The person declined to answer." };
