import { computed, signal } from "@preact/signals";
import { allPages, call } from "../api/client.ts";
import type { Organization } from "../api/types.ts";

const storageKey = "agent-run-service.organization";

/** All organizations. Undefined until they are read. */
export const organizations = signal<Organization[] | undefined>(undefined);

const chosenId = signal(localStorage.getItem(storageKey) ?? undefined);

/** The organization that the pages show. Undefined: all of them. */
export const organization = computed(() => organizations.value?.find(({ id }) => id === chosenId.value));

/** Names of the organizations, by id. */
export const organizationNames = computed(() => new Map(organizations.value?.map(({ id, name }) => [id, name])));

export function chooseOrganization(id: string | undefined): void {
  chosenId.value = id;
  if (id === undefined) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, id);
}

export async function readOrganizations(): Promise<void> {
  organizations.value = await allPages((cursor) => call("list_organizations", { cursor }));
}
