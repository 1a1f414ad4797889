import type { Service } from "../integration/service.ts";

/** What the management API responds with: the tests name the fields that they need. */
type Answer = Record<"id" | "organization_id" | "key" | "status", string>;

export type ManageCall = <Answered = Answer>(method: string, path: string, body?: object) => Promise<Answered>;

/** Calls the management API as who is signed in with the link to the console. */
export function callOf({ baseUrl, consoleUrl }: Pick<Service, "baseUrl" | "consoleUrl">): ManageCall {
  const headers = { authorization: `Bearer ${new URL(consoleUrl).hash.slice(1)}`, "content-type": "application/json" };
  return async (method, path, body) => {
    const content = body && { body: JSON.stringify(body) };
    const response = await fetch(`${baseUrl}/manage/v1${path}`, { method, headers, ...content });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as never;
  };
}
