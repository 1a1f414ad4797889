import { useState } from "preact/hooks";
import type { Organization } from "../api/types.ts";
import { blocked, forbidden } from "../state/blocked.ts";
import { useLeaveGuard } from "../state/leave-guard.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { toast } from "../ui/toast.tsx";
import { setWebFetchHosts } from "./model-calls.ts";

/** The hosts that web_fetch can reach, for agents that name none. */
export function WebFetchPanel({ organization }: { organization: Organization }) {
  const { id, name, web_fetch_hosts: stored } = organization;
  const [text, setText] = useState(stored.join("\n"));
  const { isBusy, problem, run } = useAction();
  const hosts = text.split(/[\s,]+/).filter((host) => host !== "");
  const isSame = hosts.join(" ") === stored.join(" ");
  const reason = blocked("change hosts", id);
  useLeaveGuard(!isSame);

  async function save(): Promise<void> {
    await setWebFetchHosts(id, hosts);
    toast(`Saved the hosts of ${name}`);
  }

  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Web pages</h2>
        <span class="muted">{reason ?? "What its agents can fetch, unless they name hosts"}</span>
      </header>
      <form
        class="panel-body"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSame && reason === undefined) void run(save);
        }}
      >
        <TextField
          name="Hosts of web_fetch"
          help="One per line, such as docs.example.com, or *.example.com for all below example.com. Empty: all."
          problem={problem}
          rows={3}
          spellcheck={false}
          value={text}
          readOnly={forbidden("change hosts", id) !== undefined}
          onInput={setText}
        />
        <div class="panel-actions">
          <p />
          <Button type="submit" blocked={reason ?? (isSame ? "Nothing was changed." : undefined)} disabled={isBusy}>
            Save hosts
          </Button>
        </div>
      </form>
    </section>
  );
}
