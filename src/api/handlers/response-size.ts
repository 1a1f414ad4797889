import { gzipSync } from "node:zlib";
import { ServiceError } from "../../errors.ts";
import type { ApiEvent, ApiResponse, Middleware } from "./middleware.ts";

/**
 * Bytes of an answer's JSON that Lambda hands on, 6 MiB, less what is left for headers that come later. Of a longer one
 * API Gateway makes a 500 in its own words.
 */
const handedOn = 6 * 1024 * 1024 - 4 * 1024;

/**
 * Answers that Lambda hands on, as the last of a chain. One that is too long goes compressed where the client takes
 * that; where it does not, or where that is not enough, it is the contract's 502, and the log has the reason.
 */
export const withinLambda: Middleware<ApiEvent> = {
  after: (request) => {
    if (request.response) request.response = shortEnough(request.response, request.event.headers["accept-encoding"]);
  },
};

function shortEnough(answer: ApiResponse, accepted: string | undefined): ApiResponse {
  const size = sizeOf(answer);
  if (size <= handedOn) return answer;
  const shorter = takesGzip(accepted) ? compressed(answer) : undefined;
  if (shorter && sizeOf(shorter) <= handedOn) return shorter;
  const how = shorter ? `, ${sizeOf(shorter)} compressed` : ", and the client takes no gzip";
  const cause = new Error(`the answer has ${size} bytes${how}; Lambda hands on ${handedOn}`);
  throw new ServiceError("history_failed", "event history lookup failed", { cause });
}

/** Bytes of the JSON that Lambda gets, or fewer for an answer that is short beyond doubt. */
function sizeOf(answer: ApiResponse): number {
  const { body = "" } = answer;
  // Of JSON in JSON a UTF-16 unit is three bytes at most: quotes and backslashes are two, controls are gone.
  return body.length * 3 <= handedOn ? body.length : Buffer.byteLength(JSON.stringify(answer));
}

function compressed({ body = "", headers, ...answer }: ApiResponse): ApiResponse {
  return {
    ...answer,
    headers: { ...headers, "content-encoding": "gzip", vary: "accept-encoding" },
    body: gzipSync(body).toString("base64"),
    isBase64Encoded: true,
  };
}

/** RFC 9110, 12.5.3: named, or any, and not with the weight 0. */
function takesGzip(accepted = ""): boolean {
  return accepted.split(",").some((coding) => {
    const [name = "", weight = "q=1"] = coding
      .toLowerCase()
      .split(";")
      .map((part) => part.trim());
    return ["gzip", "x-gzip", "*"].includes(name) && Number(weight.replace(/^q=/, "")) > 0;
  });
}
