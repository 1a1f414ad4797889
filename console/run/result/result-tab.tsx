import { useMemo, useState } from "preact/hooks";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Segments } from "../../ui/fields/segments.tsx";
import { lastResult, type LastResult } from "../model/last-result.ts";
import type { Step } from "../model/run-model-types.ts";
import { CodeText } from "../text/code-text.tsx";
import { LoadMore } from "../text/load-more.tsx";
import { useFullText } from "../text/use-full-text.ts";
import { count } from "../text/words.ts";
import type { RunView } from "../view.ts";
import { ResultProblems } from "./result-problems.tsx";
import { ResultTables } from "./result-tables.tsx";
import { Tree } from "./result-tree.tsx";
import { resultTree } from "./result-rows.ts";
import { jsonOf, parseResult, type ResultValue } from "./result-value.ts";

/** The last result of the run. */
export function ResultTab({ view }: { view: RunView }) {
  void view.version.value;
  const result = lastResult(view.model);
  if (!result) return <p class="run-empty">No turn of this run has a schema.</p>;
  return <Result key={`${result.turn.turn}.${result.step.step}`} result={result} view={view} />;
}

function Result({ result, view }: { result: LastResult; view: RunView }) {
  const { turn, step } = result;
  const { output } = turn;
  const { text: loaded, sequence } = output ?? step;
  const shown = useFullText(view.texts, { loaded, sequence, path: "text" });
  const problems = step.problems ?? [];
  const fits = problems.length === 0;
  const value = useMemo(
    () => (fits && shown.complete ? parseResult(shown.text) : undefined),
    [fits, shown.complete, shown.text],
  );
  const earlier = turn.steps.filter((each) => each !== step && each.problems && each.problems.length > 0);
  const title = view.model.turns.length > 1 ? `Result of turn ${turn.turn}` : "Result";
  return (
    <>
      {value === undefined ? (
        <section class="run-section">
          <div class="run-section-head">
            <h3>{title}</h3>
            <FitBadge fits={fits} />
          </div>
          {!fits && <ResultProblems problems={problems} />}
          {!fits && <h3>What the model wrote</h3>}
          <CodeText title={count(shown.length, "character")} text={shown.text} wrapped />
          <LoadMore shown={shown} />
        </section>
      ) : (
        <FittingResult title={title} value={value} text={shown.text} />
      )}
      {earlier.map((each) => (
        <EarlierTry key={each.step} step={each} view={view} />
      ))}
    </>
  );
}

function FitBadge({ fits }: { fits: boolean }) {
  return (
    <span class={`badge ${fits ? "ok" : "bad"}`}>
      <Icon name={fits ? "finished" : "warning"} /> {fits ? "fits the schema" : "does not fit"}
    </span>
  );
}

type Shape = "table" | "tree" | "json";

/** Lines of a tree at first, and that each click adds. */
const treePage = 500;

function FittingResult({ title, value, text }: { title: string; value: ResultValue; text: string }) {
  const [shape, setShape] = useState<Shape>("table");
  const [most, setMost] = useState(treePage);
  const tree = useMemo(() => resultTree(value, most, shape === "table"), [value, most, shape]);
  const shapes: [Shape, string][] = [
    ["table", "Table"],
    ["tree", "Tree"],
    ["json", "JSON"],
  ];
  return (
    <section class="run-section">
      <div class="run-section-head">
        <h3>{title}</h3>
        <FitBadge fits />
        <Segments label="Show result as" options={shapes} value={shape} onChange={setShape} />
        {shape !== "json" && <CopyButton text={text} kind="plain" />}
      </div>
      {shape === "json" ? (
        <CodeText title={count(text.length, "character")} text={text} shown={jsonOf(value, "")} language="json" />
      ) : (
        <>
          <Tree tree={tree} onMore={() => setMost(most + treePage)} />
          <ResultTables tables={tree.tables} />
        </>
      )}
    </section>
  );
}

/** An answer of the same turn that did not fit. */
function EarlierTry({ step, view }: { step: Step; view: RunView }) {
  const problems = step.problems ?? [];
  return (
    <section class="run-section">
      <div class="run-section-head">
        <h3>
          Earlier try,{" "}
          <button type="button" class="link" onClick={() => view.select({ turn: step.turn, step: step.step })}>
            step {step.step}
          </button>
        </h3>
        <span class="badge bad">{count(problems.length, "problem")}</span>
      </div>
      <ResultProblems problems={problems} />
    </section>
  );
}
