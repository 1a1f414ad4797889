const storageKey = "agent-run-service.last-agents";
const most = 5;

/** IDs of the agents that runs were started of in this browser, the last one first. */
export function lastAgents(): string[] {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? "[]") as unknown;
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
  } catch {
    return []; // something else wrote it
  }
}

export function rememberAgent(id: string): void {
  const others = lastAgents().filter((each) => each !== id);
  localStorage.setItem(storageKey, JSON.stringify([id, ...others].slice(0, most)));
}
