import type { Message, Model, ModelOutcome } from "../../src/agent/model.ts";
import type { FileVersion } from "../../src/agent/turn/files/manifest.ts";
import type { Agent } from "../../src/accounts/account-types.ts";
import type { Stores } from "../../src/runs/ports.ts";
import type { Run, RunOwner } from "../../src/runs/run-types.ts";

const agent: Agent = {
  id: "A",
  organizationId: "O",
  name: "Agent",
  instructions: "Work.",
  tools: ["list_files", "read_file", "write_file"],
  limits: { steps: 1_000, tokens: 1e9, seconds: 1e9 },
  status: "active",
};

/** `more`: replaces parts of the agent. */
export async function putAgent({ accounts }: Stores, more: Partial<Agent> = {}): Promise<void> {
  await accounts.createOrganization({ id: "O", name: "Organization", model: { enabled: true, provider: "demo" } });
  await accounts.createAgent({ ...agent, ...more });
}

/** Creates a run that is in its first turn and has a webhook. */
export async function newRun(
  { runs }: Stores,
  id: string,
  now: number,
  text: string,
  uploads: FileVersion[] = [],
  owner: RunOwner = { agentId: "A", organizationId: "O" },
): Promise<Run> {
  const fields = { id, ...owner, name: "Run", webhook: "agent" };
  const run: Run = { ...fields, status: "running", turn: 1, createdAt: now, updatedAt: now, sequence: 1 };
  await runs.create(run, [{ turn: 1, role: "input_to_agent", text, sequence: 1, at: now }], { uploads });
  return run;
}

/**
 * A model that takes `steps` steps with one or two tool calls each and then answers with its input. Its answer depends
 * only on the conversation. `calls` holds the input and the step of each model call.
 */
export function scriptedModel(steps: number): { model: Model; calls: string[] } {
  const calls: string[] = [];
  const model: Model = async ({ messages }): Promise<ModelOutcome> => {
    const start = messages.findLastIndex((message) => message.role === "user" && !message.note);
    const input = (messages[start] as Extract<Message, { role: "user" }>).text;
    const step = messages.slice(start).filter(({ role }) => role === "assistant").length + 1;
    calls.push(`${input} ${step}`);
    const usage = { inputTokens: 10, outputTokens: 1 };
    if (step > steps) {
      return { answer: { text: outputTo(input), toolCalls: [], finishReason: "stop", usage } };
    }
    const write = { id: `w${step}`, name: "write_file", input: { name: `${step}.txt`, content: input } };
    const list = { id: `l${step}`, name: "list_files", input: {} };
    const toolCalls = step % 2 === 0 ? [write, list] : [write];
    return { answer: { text: "", toolCalls, finishReason: "tool-calls", usage } };
  };
  return { model, calls };
}

export function outputTo(input: string): string {
  return `Answer to ${input}.`;
}
