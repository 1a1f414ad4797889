import type { IconName } from "../../ui/icon.tsx";
import { contracts, log, tables } from "./sample-files.ts";

/** An input with files that a first run can begin with. */
export interface Sample {
  title: string;
  /** What the agent does with it. */
  note: string;
  icon: IconName;
  text: string;
  files: () => { name: string; text: string }[];
}

export const samples: Sample[] = [
  {
    title: "Revenue by region from two tables",
    note: "Reads CSV files, computes, writes a table",
    icon: "usage",
    text:
      "Revenue by region and month for Q3 from the two files. Name the three largest changes against Q2. " +
      "Save the table as revenue.csv.",
    files: tables,
  },
  {
    title: "Find what changed between two contracts",
    note: "Reads two documents, quotes every difference",
    icon: "file",
    text:
      "Compare the two contracts. Quote every clause that changed, and say what it means for the supplier. " +
      "Save the list as changes.md.",
    files: contracts,
  },
  {
    title: "Explain an error in a log",
    note: "Searches 4,000 lines for the cause",
    icon: "runs",
    text:
      "The import stopped at night. Find the first error in the log, explain its cause, and quote the lines that " +
      "show it.",
    files: log,
  },
];
