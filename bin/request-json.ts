/** Sends a request with a token and reads the JSON of its response. Rejects with the reason that the server gives. */
export async function requestJson<Body>(
  url: string,
  { method, token, body }: { method: string; token: string; body?: object },
): Promise<Body> {
  const headers = { authorization: `Bearer ${token}`, accept: "application/json", "content-type": "application/json" };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (response.ok) return JSON.parse(text || "null") as Body;
  throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}: ${reasonIn(text)}`);
}

function reasonIn(text: string): string {
  try {
    const { detail, message } = JSON.parse(text) as { detail?: unknown; message?: unknown };
    const reason = detail ?? message;
    return typeof reason === "string" ? reason : JSON.stringify(reason);
  } catch {
    return text.slice(0, 200);
  }
}
