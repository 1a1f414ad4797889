import { hasNotes } from "../../text/words.ts";
import { programTools } from "../../model/error-line.ts";
import type { Row } from "../../model/run-model-types.ts";
import type { RunView } from "../../view.ts";
import { MessageRow } from "./message-row.tsx";
import { ForkedRow, GapRow, IdleRow, LimitRow, SummaryRow, TurnRow } from "./other-rows.tsx";
import { StepRow } from "./step-row.tsx";

/** The content of a row. */
export function RowContent({ row, view }: { row: Row; view: RunView }) {
  switch (row.kind) {
    case "step":
      return <StepRow step={row.step} view={view} />;
    case "message":
      return <MessageRow message={row.message} view={view} />;
    case "turn":
      return <TurnRow turn={row.turn} view={view} />;
    case "gap":
      return <GapRow gap={row.gap} view={view} />;
    case "idle":
      return <IdleRow from={row.from} until={row.until} />;
    case "summary":
      return <SummaryRow summary={row.summary} />;
    case "forked":
      return <ForkedRow forked={row.forked} />;
    case "limit":
      return <LimitRow reason={row.reason} />;
  }
}

/** Height of a row before it is measured, in pixels. */
export function estimatedHeight(row: Row): number {
  if (row.kind === "message") return 90 + Math.min(400, Math.ceil(row.message.text.text.length / 80) * 21);
  if (row.kind !== "step") return 33;
  const { calls, attempts, reasoning, problems } = row.step;
  const lines = [
    reasoning ? 28 : 0, // folded
    calls.length > 0 ? 30 : 0, // of calls that stand below one another, the others are measured
    attempts.length > 0 ? 24 : 0,
    calls.some(({ failed }) => failed) ? 22 : 0,
    calls.some(({ name, files }) => files.length > 0 && programTools.includes(name)) ? 24 : 0,
    hasNotes(row.step) ? 22 : 0,
    problems?.length ? 18 : 0,
  ];
  return lines.reduce((sum, height) => sum + height, 36);
}
