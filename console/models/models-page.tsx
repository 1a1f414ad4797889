import { useRef, useState } from "preact/hooks";
import { blocked } from "../state/blocked.ts";
import { hasEdits } from "../state/leave-guard.ts";
import { chooseOrganization, organization, organizations } from "../state/organization.ts";
import { usePageTitle } from "../state/page-title.ts";
import { useQuery } from "../state/url.ts";
import { Button } from "../ui/fields/button.tsx";
import { Empty, Loading } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { Configurations } from "./configurations.tsx";
import { CreateOrganization } from "./create-organization.tsx";
import { DeleteOrganization } from "./delete-organization.tsx";
import { QuotaPanel, WebFetchPanel } from "./organization-panels.tsx";
import { StopPanel } from "./stop-panel.tsx";

/** The organizations with the model that their agents use, and their quotas. */
export function ModelsPage() {
  usePageTitle("Models");
  const [query, setQuery] = useQuery();
  const [isCreating, setCreating] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const all = organizations.value;
  const last = useRef<string | undefined>(undefined);
  // Edits are not lost because another organization is chosen for all pages.
  const wanted = query["organization"] ?? (hasEdits.value ? last.current : undefined);
  const shown = all?.find(({ id }) => id === wanted) ?? organization.value ?? all?.[0];
  last.current = shown?.id;
  const reason = blocked("create organizations", null);
  const note = blocked("change models", shown?.id);
  return (
    <main class="page">
      <div class="page-head">
        <h1>Models</h1>
        <div class="actions">
          <Button kind="primary" icon="plus" blocked={reason} onClick={() => setCreating(true)}>
            New organization
          </Button>
        </div>
      </div>
      {note !== undefined && <p class="note">{note}</p>}
      {!all && <Loading />}
      {all?.length === 0 && (
        <Empty title="Create the first organization">
          <p>An organization owns agents and has the model that they use. Keys and runs of one never see another.</p>
          <Button kind="primary" icon="plus" blocked={reason} onClick={() => setCreating(true)}>
            New organization
          </Button>
        </Empty>
      )}
      {all && shown && (
        <div class="models">
          <nav class="panel organization-list" aria-label="Organizations">
            {all.map(({ id, name, model }) => (
              <button
                key={id}
                type="button"
                aria-current={id === shown.id ? "true" : undefined}
                onClick={() => setQuery({ organization: id, configuration: undefined })}
              >
                <bdi>{name}</bdi>
                {model ? (
                  <span class="mono muted">{model.model ?? model.provider}</span>
                ) : (
                  <span class="badge warn">
                    <Icon name="warning" />
                    no model
                  </span>
                )}
              </button>
            ))}
          </nav>
          <div class="stack" key={shown.id}>
            {shown.models_stopped_at !== null && <StopPanel organization={shown} />}
            <Configurations organization={shown} />
            <QuotaPanel organization={shown} />
            <WebFetchPanel organization={shown} />
            <div class="row">
              {shown.models_stopped_at === null && <StopPanel organization={shown} />}
              <Button kind="danger" blocked={blocked("delete organizations", null)} onClick={() => setDeleting(true)}>
                Delete organization
              </Button>
            </div>
          </div>
        </div>
      )}
      {isDeleting && shown && (
        <DeleteOrganization
          organization={shown}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            setDeleting(false);
            setQuery({ organization: undefined });
            scrollTo({ top: 0 }); // another organization is shown, and so is its button
          }}
        />
      )}
      {isCreating && (
        <CreateOrganization
          onClose={() => setCreating(false)}
          onCreated={(id) => {
            setCreating(false);
            if (organization.value) chooseOrganization(id);
            setQuery({ organization: id });
          }}
        />
      )}
    </main>
  );
}
