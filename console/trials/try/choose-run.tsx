import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useResource } from "../../api/use-resource.ts";
import { visibleLine } from "../../run/text/visible.ts";
import { Button } from "../../ui/fields/button.tsx";
import { TextField } from "../../ui/fields/field.tsx";
import { RelativeTime } from "../../ui/time.tsx";

const runId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Asks for a run: one of the newest of the same agent as `left`, or any by its ID or address. */
export function ChooseRun({ left, onChoose }: { left: string | undefined; onChoose: (id: string) => void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const { data } = useResource(left ?? "none", async (signal) => {
    const agent = left ? (await call("get_run", { run_id: left }, { signal })).agent_id : undefined;
    const page = await call("list_runs", { ...(agent !== undefined && { agent_id: agent }), limit: 20 }, { signal });
    return page.data.filter(({ id }) => id !== left);
  });
  return (
    <section class="panel choose-run" aria-label="Choose a run">
      <form
        class="case-text"
        onSubmit={(event) => {
          event.preventDefault();
          const [id] = runId.exec(text) ?? [];
          if (id === undefined) setProblem("This has no ID of a run. Paste the ID, or the address of its page.");
          else onChoose(id.toLowerCase());
        }}
      >
        <TextField
          name={left ? "Run to compare with" : "First run"}
          help="Its ID, or the address of its page."
          problem={problem}
          class="mono"
          value={text}
          onInput={(typed) => {
            setProblem(undefined);
            setText(typed);
          }}
        />
        <Button kind="primary" type="submit">
          Compare
        </Button>
      </form>
      {data && data.length > 0 && (
        <>
          <header class="panel-head">
            <h2>{left ? "Newest runs of the agent" : "Newest runs"}</h2>
          </header>
          <ul class="run-choices">
            {data.map(({ id, name, created_at }) => (
              <li key={id}>
                <button type="button" onClick={() => onChoose(id)}>
                  <bdi>{visibleLine(name, 120)}</bdi>
                  <span class="muted">
                    <RelativeTime at={created_at} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
