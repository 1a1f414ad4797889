import { useState } from "preact/hooks";
import { useResource } from "../api/use-resource.ts";
import type { Agent } from "../api/types.ts";
import { blocked } from "../state/blocked.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/fields/button.tsx";
import { Loading } from "../ui/empty.tsx";
import { Select } from "../ui/fields/field.tsx";
import { Problem } from "../ui/problem.tsx";
import { Rows } from "../ui/rows.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { toast } from "../ui/dialogs/toast.tsx";
import { readVersion, readVersions, updateAgent, type VersionHead } from "./agent-calls.ts";
import { DiffView } from "./diff-view.tsx";
import { formatDraft } from "../form/json-text.ts";

/** The versions of an agent, and the difference of two. */
export function VersionsTab({ agent, onSaved }: { agent: Agent; onSaved: (agent: Agent) => void }) {
  const { data: versions, error } = useResource(`${agent.id} ${agent.revision}`, () => readVersions(agent.id));
  const [chosen, setChosen] = useState<number>();
  if (error) return <Problem>{error.message}</Problem>;
  if (!versions) return <Loading rows={4} />;
  if (versions.length === 0)
    return <p class="none">Versions are not recorded: the agent was stored by an earlier release.</p>;
  const shown = chosen ?? versions[0]?.version ?? 1;
  return (
    <div class="versions">
      <div class="panel scroll-x">
        <Rows
          class="table rows"
          rows={versions}
          keyOf={({ version }) => version}
          rowProps={({ version }) => ({ class: version === shown ? "selected" : "" })}
          columns={[
            {
              head: "Version",
              cell: ({ version }) => (
                <>
                  <button
                    type="button"
                    class="row-link"
                    aria-pressed={version === shown}
                    onClick={() => setChosen(version)}
                  >
                    Version {version}
                  </button>{" "}
                  {version === agent.version && <span class="badge">current</span>}
                </>
              ),
            },
            { head: "Saved", cell: ({ created_at }) => <RelativeTime at={created_at} /> },
            { head: "SHA-256", class: "number", cellClass: "mono muted", cell: ({ hash }) => hash.slice(0, 8) },
          ]}
        />
      </div>
      <VersionDiff agent={agent} versions={versions} version={shown} onSaved={onSaved} />
    </div>
  );
}

interface VersionDiffProps {
  agent: Agent;
  versions: VersionHead[];
  version: number;
  onSaved: (agent: Agent) => void;
}

/** What a version changed, compared with the one before or another one. */
function VersionDiff({ agent, versions, version, onSaved }: VersionDiffProps) {
  const [compared, setCompared] = useState<number>();
  const { problem, run } = useAction();
  const others = versions.filter((each) => each.version !== version).map((each) => each.version);
  const before = others.find((each) => each === compared) ?? others.find((each) => each === version - 1) ?? others[0];
  const { data, error } = useResource(`${agent.id} ${before} ${version}`, async () => ({
    before: before === undefined ? undefined : await readVersion(agent.id, before),
    after: await readVersion(agent.id, version),
  }));
  if (error) return <Problem>{error.message}</Problem>;
  if (!data) return <Loading rows={6} />;
  const restore = async (): Promise<void> => {
    const saved = await updateAgent(agent.id, data.after, agent.revision);
    onSaved(saved);
    toast(`Saved version ${saved.version}`);
  };
  const reason =
    agent.status === "deleted" ? "This agent is deleted." : blocked("change agents", agent.organization_id);
  return (
    <div class="version-diff">
      <div class="version-actions">
        {before !== undefined && (
          <label class="inline">
            Compared with{" "}
            <Select
              value={before}
              options={others.map((each) => [each, `version ${each}`] as const)}
              onChange={setCompared}
            />
          </label>
        )}
        {version !== agent.version && (
          <Button icon="again" blocked={reason} onClick={() => void run(restore)}>
            Save version {version} again
          </Button>
        )}
      </div>
      <Problem>{problem}</Problem>
      <DiffView
        title={before === undefined ? `Version ${version}` : `Version ${before} to ${version}`}
        before={formatDraft(data.before ?? data.after)}
        after={formatDraft(data.after)}
      />
    </div>
  );
}
