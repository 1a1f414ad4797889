import { lineDiff } from "./form/line-diff.ts";

const classes = { " ": "", "+": "added", "-": "removed" };

/** The difference of two agent files, by lines. */
export function DiffView({ title, before, after }: { title: string; before: string; after: string }) {
  const rows = lineDiff(before, after);
  const added = rows.filter(({ sign }) => sign === "+").length;
  const removed = rows.filter(({ sign }) => sign === "-").length;
  return (
    <figure class="code prose file-diff">
      <header>
        {title}
        <span>
          +{added} −{removed}
        </span>
      </header>
      {/* A scrollable region has to be reachable by keyboard. */}
      <div class="diff-rows" tabIndex={0}>
        {rows.map((row, index) => (
          <div key={index} class={`diff-row ${classes[row.sign]}`}>
            <span class="line">{row.before}</span>
            <span class="line">{row.after}</span>
            <span class="sign">{row.sign === "-" ? "−" : row.sign}</span>
            <span class="text">{row.text || " "}</span>
          </div>
        ))}
      </div>
    </figure>
  );
}
