import { computed, signal } from "@preact/signals";
import { call } from "../api/client.ts";
import type { Schemas } from "../api/types.ts";
import { organization } from "./organization.ts";

/** The runs of the chosen organization that wait for answers. Undefined until they are read. */
export const waiting = signal<Schemas["WaitingRunList"] | undefined>(undefined);

/** Calls that wait for an answer. */
export const waitingCalls = computed(() => waiting.value?.data.flatMap(({ open_calls }) => open_calls).length ?? 0);

export async function readWaiting(): Promise<void> {
  const id = organization.peek()?.id;
  const list = await call("list_waiting", { organization_id: id });
  if (organization.peek()?.id === id) waiting.value = list;
}

const storageKey = "agent-run-service.notify";

/** Whether this browser notifies about new calls that wait. */
export const notifies = signal(localStorage.getItem(storageKey) === "on");

export function setNotifies(on: boolean): void {
  notifies.value = on;
  localStorage.setItem(storageKey, on ? "on" : "off");
}
