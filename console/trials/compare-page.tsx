import { useResource } from "../api/use-resource.ts";
import { formatDuration } from "../format.ts";
import { visibleLine } from "../run/text/visible.ts";
import { usePageTitle } from "../state/page-title.ts";
import { pageUrl, useQuery } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { Loading } from "../ui/empty.tsx";
import { Select } from "../ui/fields/field.tsx";
import { Problem } from "../ui/problem.tsx";
import { CasePairs } from "./case/case-pairs.tsx";
import { ChooseRun } from "./try/choose-run.tsx";
import { FileChanges } from "./case/file-changes.tsx";
import { Figures } from "./figures.tsx";
import { plainSides } from "./case/sides.ts";
import { TextDifference } from "./text-difference.tsx";
import { type Comparison, readComparison } from "./trial-calls.ts";

type Turn = Comparison["run"];

/** Two turns side by side: `?left=` and `?right=` are their runs, `?left_turn=` and `?right_turn=` their numbers. */
export function ComparePage() {
  usePageTitle("Compare");
  const [{ left, right, left_turn: leftTurn, right_turn: rightTurn }, setQuery] = useQuery();
  const key = left && right && [left, right, leftTurn, rightTurn].join(" ");
  const { data, error } = useResource(key, (signal) =>
    readComparison(
      { id: left ?? "", turn: numberIn(leftTurn) },
      { id: right ?? "", turn: numberIn(rightTurn) },
      signal,
    ),
  );
  return (
    <main class="page trial-page case-page">
      <div class="page-head">
        <h1>Compare two runs</h1>
        {data && (
          <div class="actions">
            <Button
              size="small"
              onClick={() => setQuery({ left: right, right: left, left_turn: rightTurn, right_turn: leftTurn })}
            >
              Swap
            </Button>
            <Button size="small" onClick={() => setQuery({ right: undefined, right_turn: undefined }, { push: true })}>
              Choose another run
            </Button>
          </div>
        )}
      </div>
      <Problem>{error?.message}</Problem>
      {(key === undefined || key === "" || error) && (
        <ChooseRun left={left} onChoose={(id) => setQuery({ [left ? "right" : "left"]: id }, { push: true })} />
      )}
      {key && !data && !error && <Loading />}
      {data && !error && <Compared of={data} onTurn={(side, turn) => setQuery({ [`${side}_turn`]: `${turn}` })} />}
    </main>
  );
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

interface ComparedProps {
  of: Comparison;
  onTurn: (side: "left" | "right", turn: number) => void;
}

function Compared({ of, onTurn }: ComparedProps) {
  const { run, other, calls, first_difference, files, files_unknown } = of;
  const pairs = calls.map(({ run: recorded, other: candidate, same }) => ({ recorded, candidate, same }));
  return (
    <>
      <div class="compared">
        <ComparedTurn head={plainSides.heads[0]} turn={run} onTurn={(turn) => onTurn("left", turn)} />
        <ComparedTurn head={plainSides.heads[1]} turn={other} onTurn={(turn) => onTurn("right", turn)} />
      </div>
      <div class="case-columns">
        <section class="panel" aria-label="Tool calls">
          <CasePairs key={`${run.turn} ${other.turn}`} calls={pairs} first={first_difference} sides={plainSides} />
        </section>
        <div class="stack">
          <TextDifference title="Input" before={run.input} after={other.input} sides={plainSides} />
          <TextDifference title="Output" before={run.output} after={other.output} sides={plainSides} />
          <section class="panel">
            <header class="panel-head">
              <h2>Files</h2>
              <span class="muted">after the right turn, against those after the left one</span>
            </header>
            <div class="case-text">
              {files ? <FileChanges files={files} /> : <span class="muted">{visibleLine(files_unknown ?? "")}</span>}
            </div>
          </section>
          <Figures
            sides={plainSides}
            left={run.used}
            right={other.used}
            more={[["Time", formatDuration(run.used.seconds * 1_000), formatDuration(other.used.seconds * 1_000)]]}
          />
        </div>
      </div>
    </>
  );
}

interface ComparedTurnProps {
  head: string;
  turn: Turn;
  onTurn: (turn: number) => void;
}

/** Which turn is compared. Of a run with several, another one can be chosen. */
function ComparedTurn({ head, turn: { run_id, name, turn, turns }, onTurn }: ComparedTurnProps) {
  const shown = visibleLine(name, 120);
  return (
    <section class="panel" aria-label={`${head} run`}>
      <header class="panel-head">
        <span class="muted">{head}</span>
        <h2 class="cut">
          <a href={pageUrl(`runs/${run_id}`, { at: `${turn}` })} title={shown}>
            <bdi>{shown}</bdi>
          </a>
        </h2>
        {turns > 1 && (
          <Select
            class="end"
            aria-label="Turn"
            value={turn}
            options={Array.from({ length: turns }, (_, index) => [index + 1, `Turn ${index + 1} of ${turns}`] as const)}
            onChange={onTurn}
          />
        )}
      </header>
    </section>
  );
}
