import type { Service } from "../integration/service.ts";

/** What the management API responds with: the tests name the fields that they need. */
type Answer = Record<"id" | "organization_id" | "key" | "status", string>;

/** Calls the management API as the operator that the printed link signs in. */
export function callOf({ baseUrl, consoleUrl }: Service) {
  const headers = { authorization: `Bearer ${new URL(consoleUrl).hash.slice(1)}`, "content-type": "application/json" };
  return async <Answered = Answer>(method: string, path: string, body?: object): Promise<Answered> => {
    const content = body && { body: JSON.stringify(body) };
    const response = await fetch(`${baseUrl}/manage/v1${path}`, { method, headers, ...content });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answered;
  };
}
