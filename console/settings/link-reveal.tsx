import { basePath } from "../../src/manage/generated/operations.ts";
import { RevealOnce } from "../ui/fields/reveal-once.tsx";
import { organizationNames } from "../state/organization.ts";
import { roleText } from "../state/roles.ts";
import type { CreatedOperator } from "./settings-calls.ts";

/** Shows a new link once. Its token is in the memory of this dialog only. */
export function LinkReveal({ created, onClose }: { created: CreatedOperator; onClose: () => void }) {
  return (
    <RevealOnce
      title={`Link for “${created.name}” created`}
      noun="link"
      value={`${location.origin}/console/#${created.token}`}
      confirmation="I have passed the link on"
      warning={`, and everyone who opens it is signed in as ${roleText(created, organizationNames.value)}.`}
      onClose={onClose}
    >
      {() => <p class="muted">Programs send the part after # as a bearer token to {basePath}.</p>}
    </RevealOnce>
  );
}
