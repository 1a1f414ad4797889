import { isObject } from "../json.ts";

/**
 * What chat completions servers answer with status 200 and as JSON although they were asked to stream: a whole answer,
 * or an error. As the one event of a stream; anything else as it is.
 */
export async function asStream(response: Response): Promise<Response> {
  const { ok, status, headers } = response;
  if (!ok || !/json/.test(headers.get("content-type") ?? "")) return response;
  const text = await response.text();
  let event: unknown;
  try {
    event = eventOf(JSON.parse(text));
  } catch {
    return new Response(text, { status, headers }); // a stream after all, or nothing that can be read
  }
  return new Response(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`, { status, headers });
}

function eventOf(json: unknown): unknown {
  if (!isObject(json)) return json;
  const { choices, error } = json;
  return {
    ...json,
    ...(Array.isArray(choices) && { choices: choices.map(choiceOf) }),
    ...(typeof error === "string" && { error: { message: error } }),
  };
}

function choiceOf(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  const { message, ...rest } = choice;
  return { ...rest, delta: message };
}
