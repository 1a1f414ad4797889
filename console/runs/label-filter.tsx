import type { RunCounts } from "../api/types.ts";
import { FacetFilter } from "./facet-filter.tsx";

interface LabelFilterProps {
  /** As `KEY=VALUE`. Undefined: no filter. */
  chosen: string | undefined;
  /** Labels of the listed runs, with their counts. */
  known: RunCounts["labels"];
  onChoose: (label: string | undefined) => void;
}

const search = {
  name: "Label as KEY=VALUE",
  placeholder: "customer=4711",
  accepts: (text: string) => text.indexOf("=") > 0,
  noMatch: "No listed run has it. Type KEY=VALUE.",
};

/** A filter by a label that the listed runs have, or one that is typed. */
export function LabelFilter({ chosen, known, onChoose }: LabelFilterProps) {
  return (
    <FacetFilter
      name="Label"
      any="Any label"
      search={search}
      chosen={chosen === undefined ? [] : [chosen]}
      values={known}
      onChoose={([label]) => onChoose(label)}
    />
  );
}
