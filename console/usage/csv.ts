import { costOf, isCostUnknown } from "../state/cost.ts";
import { notRecorded, type UsageRow } from "./report.ts";

const columns = [
  "day",
  "organization_id",
  "agent_id",
  "agent",
  "model",
  "runs",
  "technical_errors",
  "steps",
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "estimated_tokens",
  "dollars",
  "unpriced_tokens",
  "milliseconds",
] as const;

/** The rows as CSV (RFC 4180), oldest day first, with exact numbers. An unknown cost is an empty cell. `names`: agents' names by their ID. */
export function usageCsv(rows: UsageRow[], names: Map<string, string>): string {
  const lines = rows
    .toSorted((one, other) => one.day.localeCompare(other.day) || one.agent_id.localeCompare(other.agent_id))
    .map((row) => {
      const values = {
        ...row,
        agent: names.get(row.agent_id) ?? "",
        model: row.model ?? notRecorded,
        dollars: isCostUnknown(costOf(row)) ? "" : row.dollars,
      };
      return columns.map((column) => cell(values[column])).join(",");
    });
  return [columns.join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

/** A name that a spreadsheet would take for a formula is preceded by an apostrophe. */
function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
