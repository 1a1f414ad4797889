import { serviceApp } from "../lib/service-app.ts";
import type { Run } from "../src/runs/types.ts";
import { type AwsHome, awsHome } from "./aws-home.ts";
import type { Traffic } from "./aws-endpoint.ts";
import { newRun } from "./new-run.ts";
import type { Row } from "./table.ts";

const longTranscript = 200; // messages, of 2 KB each
const message = "A message of the transcript. ".repeat(70);

/** What one run of so many steps asks of AWS, by operation; `transitions`: billed ones of the state machine. */
export interface RunTraffic {
  create: Traffic;
  advance: Traffic;
  poll: Traffic;
  transitions: number;
}

/** One run of so many steps, with the real handlers: created with `files`, advanced to its end, polled once. */
export async function measureRun(home: AwsHome, steps: number, files: number): Promise<RunTraffic> {
  await home.thinkingFor(steps);
  const runId = await home.create(files);
  const create = home.endpoint.take();
  const transitions = await walk(stateMachine(), () => home.advance(runId));
  const advance = home.endpoint.take();
  const { loop_status } = await home.get(runId);
  if (loop_status !== "finished") throw new Error(`the run of ${steps} steps is ${loop_status}, not finished`);
  return { create, advance, poll: home.endpoint.take(), transitions };
}

/** Calls to AWS and billed transitions. They are counted, so that one round says all. */
export async function measureCalls(): Promise<Row[]> {
  const home = await awsHome({ delay: 40 });
  try {
    const plain = await measureRun(home, 1, 0);
    const withFiles = await measureRun(home, 50, 10);
    await home.create(10, "A long input. ".repeat(10_000));
    const longInput = home.endpoint.take();
    const runId = await longRun(home);
    const { transcript } = await home.get(runId);
    if (transcript.length !== longTranscript) throw new Error(`the transcript has ${transcript.length} messages`);
    const long = home.endpoint.take();
    return [
      ...rows("create", plain.create, 4),
      ...rows("create with 10 files", withFiles.create, 4),
      ...rows("create with 10 files and an input of 140 KB", longInput, 4),
      ...rows("get", plain.poll, 1),
      ...rows(`get of ${longTranscript} messages`, long, 1),
      { ...count(`get of ${longTranscript} messages: Queries`, queries(long)), target: { atMost: 1 } },
      ...rows("run of 1 step", plain.advance),
      ...rows("run of 50 steps", withFiles.advance),
      count("run of 50 steps: table writes", withFiles.advance.units.write, "units"),
      count("run of 1 step: billed transitions", plain.transitions, "transitions"),
      { ...count("run of 50 steps: billed transitions", withFiles.transitions, "transitions"), target: { atMost: 6 } },
    ];
  } finally {
    await home.close();
  }
}

function rows(name: string, { calls, trips }: Traffic, atMost?: number): Row[] {
  const inSequence = count(`${name}: one after another`, trips);
  return [
    count(`${name}: calls`, calls.length),
    { ...inSequence, ...(atMost !== undefined && { target: { atMost } }) },
  ];
}

function count(name: string, service: number, unit: Row["unit"] = "calls"): Row {
  return { name, unit, service };
}

function queries({ calls }: Traffic): number {
  return calls.filter(({ name }) => name === "Query").length;
}

/** A finished run with a long transcript, as its turns would have left it. */
export async function longRun({ runs, agent, endpoint }: AwsHome, messages = longTranscript): Promise<string> {
  const run: Run = { ...newRun(agent), status: "finished", turn: 0 };
  await runs.create(run, []);
  for (let turn = 0; turn < messages / 2; turn++) {
    await runs.change({
      runId: run.id,
      expect: { status: "finished", turn },
      set: { status: "finished", turn: turn + 1, updatedAt: run.updatedAt },
      messages: [
        { turn: turn + 1, role: "input_to_agent", text: message },
        { turn: turn + 1, role: "output_from_agent", text: message },
      ],
    });
  }
  endpoint.take();
  return run.id;
}

type States = Record<string, { Type: string; Next?: string; Default?: string; Choices?: { Next: string }[] }>;

/** The deployed state machine's definition, as `cdk synth` makes it. */
function stateMachine(): { StartAt: string; States: States } {
  const { app, stack } = serviceApp({ "aws:cdk:bundling-stacks": [] });
  const { Resources } = app.synth().getStackArtifact(stack.artifactId).template as {
    Resources: Record<string, { Type: string; Properties: { DefinitionString: { "Fn::Join": [string, unknown[]] } } }>;
  };
  const machine = Object.values(Resources).find(({ Type }) => Type === "AWS::StepFunctions::StateMachine");
  const parts = machine?.Properties.DefinitionString["Fn::Join"][1] ?? [];
  const text = parts.map((part) => (typeof part === "string" ? part : "reference")).join("");
  return JSON.parse(text) as { StartAt: string; States: States };
}

/**
 * Walks the definition with the real task. Billed are every state entered, and Start and End: AWS's price page counts the
 * nodes of the graph, these two among them.
 */
async function walk(
  { StartAt, States }: ReturnType<typeof stateMachine>,
  task: () => Promise<{ done: boolean }>,
): Promise<number> {
  let transitions = 2;
  let done = false;
  for (let name: string | undefined = StartAt; name !== undefined; transitions++) {
    const state: States[string] | undefined = States[name];
    if (!state) throw new Error(`the state machine has no state ${name}`);
    if (state.Type === "Task") ({ done } = await task());
    name = state.Type === "Choice" && done ? state.Choices?.[0]?.Next : (state.Next ?? state.Default);
  }
  return transitions;
}
