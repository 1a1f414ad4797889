import type { Failure } from "../agent/model.ts";
import type { OfferedTool, RecordedResults, Tool } from "../agent/tools/tool.ts";
import type { TurnOutcome, TurnPorts } from "../agent/turn/turn-types.ts";
import type { Stores } from "../runs/ports.ts";
import { recordedResults } from "../runs/read/recorded-results.ts";
import type { RunOwner, RunState } from "../runs/run-types.ts";

/**
 * A kind of turns that is not the ordinary one. Its runs belong to a feature, not to an organization: only their usage is
 * counted, and the sweep starts them again. What it has to know of a turn is in the `forked` entry of its journal.
 */
export interface TurnKind {
  /**
   * Opens the surroundings of a turn, each time a process takes it. `failure`: the turn must not begin or continue. Throws if what
   * the run belongs to no longer exists.
   */
  open(state: RunState): Promise<TurnSurroundings | { failure: Failure }>;
  /** Called when a turn has ended, and again if the process that ended it may have been killed before its call. */
  ended(): Promise<unknown>;
}

/** The kind of the turns of a run, by its owner. Undefined: the ordinary one. */
export type KindOf<Kind = TurnKind> = (owner: Pick<RunOwner, "organizationId">) => Kind | undefined;

/** What a turn has around it. */
export interface TurnSurroundings {
  /** Whose model and secrets it uses. */
  organizationId: string;
  /** Results of earlier turns. */
  results: RecordedResults;
  /** How its result is checked. Absent: in the sandbox. */
  checkResult?: NonNullable<TurnPorts["checkResult"]>;
  /** Tools of MCP servers that need not be listed, by server. Absent: all are listed. */
  known?: Map<string, OfferedTool[]>;
  /** The tools of the turn, made of those that were opened. */
  toolsOf(tools: Tool[]): Tool[] | Promise<Tool[]>;
  /** The outcome of the turn. It can turn an error into a failure. */
  endOf(running: Promise<TurnOutcome>): Promise<TurnOutcome>;
}

/** Those of an ordinary turn. Throws for a turn of another kind, which could otherwise do what its kind prevents. */
export function ordinarySurroundings(
  { runs }: Pick<Stores, "runs">,
  { run, journal }: Pick<RunState, "run" | "journal">,
): TurnSurroundings {
  const forked = journal.findLast((entry) => entry.part === "forked");
  if (forked?.part === "forked" && forked.trial && !run.imported) {
    throw new Error(`run ${run.id} is of a kind that this process does not know`);
  }
  const { organizationId } = run;
  return {
    organizationId,
    results: recordedResults(runs, run),
    toolsOf: (tools) => tools,
    endOf: (running) => running,
  };
}
