import { formatDuration } from "../../../format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { tellingArgument } from "../../model/telling-argument.ts";
import type { Call, Step } from "../../model/run-model-types.ts";
import { begunAt } from "../../model/waiting.ts";
import { ToolName } from "../../text/tool-name.tsx";
import { visibleLine } from "../../text/visible.ts";
import type { RunView } from "../../view.ts";

/** More calls of one tool than this are one cell. */
const mostOfOneTool = 8;

/** Up to this number of cells can stand below one another. */
const mostStacked = 3;

/** From this number of characters on, cells do not fit side by side. */
const stackedFrom = 62;

/** Cells of a step at most. */
const mostCells = 12;

/** Durations from which on a cell shows its own. Milliseconds. */
const shownDuration = 100;

/** The tool calls of a step, side by side. A few long ones stand below one another. */
export function CallCells({ step, view }: { step: Step; view: RunView }) {
  void view.version.value;
  const cells = cellsOf(step.calls);
  const shown = cells.slice(0, mostCells);
  const rest = cells.length - shown.length;
  return (
    <div class={`run-calls${layoutOf(shown)}`}>
      {shown.map((calls) => (
        <CallCell key={calls[0]?.index} calls={calls} view={view} />
      ))}
      {rest > 0 && <span class="run-more">+{rest} more in the inspector</span>}
    </div>
  );
}

function layoutOf(cells: Call[][]): string {
  if (cells.length > mostStacked) return " many";
  const characters = cells.reduce((sum, [call]) => sum + (call ? call.name.length + argumentOf(call).length : 0), 0);
  return cells.length > 1 && characters > stackedFrom ? " stacked" : "";
}

/** The calls by cell. Many calls of one tool share one. */
function cellsOf(calls: Call[]): Call[][] {
  const byTool = Map.groupBy(calls, ({ name }) => name);
  const joined = new Set<string>();
  return calls.flatMap((call) => {
    const same = byTool.get(call.name) ?? [];
    if (same.length <= mostOfOneTool) return [[call]];
    if (joined.has(call.name)) return [];
    joined.add(call.name);
    return [same];
  });
}

function CallCell({ calls, view }: { calls: Call[]; view: RunView }) {
  void view.version.value;
  const call = calls.find(({ failed }) => failed) ?? calls[0];
  if (!call) return null;
  const selected = view.selected.value?.call;
  const live = view.running.value && calls.some(({ result }) => !result);
  const waits = view.waiting.value && calls.some(({ result, asked }) => asked && !result);
  const failed = calls.some((each) => each.failed);
  const state = `${failed ? " failed" : ""}${live ? " live" : waits ? " waits" : ""}`;
  const pressed = selected !== undefined && calls.includes(selected);
  return (
    <button
      type="button"
      class={`run-call${state}`}
      aria-pressed={pressed}
      tabIndex={-1}
      data-calls={calls.map(({ index }) => index).join(" ")}
      onClick={(event) => {
        event.stopPropagation();
        view.select({ turn: call.turn, step: call.step, call: call.index });
      }}
    >
      {failed && <Icon name="warning" />}
      <ToolName name={call.name} />
      {calls.length > 1 ? <span>× {calls.length}</span> : <Argument call={call} />}
      <CellTime calls={calls} live={live} view={view} />
    </button>
  );
}

function argumentOf(call: Call): string {
  return visibleLine(tellingArgument(call.arguments.text), 80);
}

function Argument({ call }: { call: Call }) {
  const argument = argumentOf(call);
  return argument === "" ? null : <bdi class="argument cut">{argument}</bdi>;
}

function CellTime({ calls, live, view }: { calls: Call[]; live: boolean; view: RunView }) {
  void view.version.value;
  const [first] = calls;
  const step = first && view.model.step(first.turn, first.step);
  const starts = step ? calls.map((call) => begunAt(call, step)).filter((start) => start !== undefined) : [];
  const ends = calls.flatMap(({ endedAt }) => (endedAt === undefined ? [] : [endedAt]));
  if (starts.length === 0) return null;
  const start = Math.min(...starts);
  const duration = (live ? view.now.value : Math.max(start, ...ends)) - start;
  return duration >= shownDuration ? <span class="time">{formatDuration(duration)}</span> : null;
}
