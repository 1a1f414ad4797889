import cf from "cloudfront";

// Bytes. Lambda accepts events of 6 MB. A body of this size fits even if API Gateway writes each byte as \u00XX.
var maxSmallBody = 1000000;
// Bytes. The upload server rejects larger bodies.
var maxBody = 20971520;
// Bytes. As bodyBytesOnLambda in src/http/rest/lambda-limits.ts. Programs send larger files as uploads, to the bucket.
var maxProgramBody = 3145728;
// The origin of streams of events. Empty: API Gateway sends them, in short responses. The stack sets it.
var streamsOrigin = "";
// CloudFront requires a behavior for the upload server's origin. No client uses its path.
var unusedPath = "/large-bodies-are-chosen-by-size";

var tooLargeForPrograms =
  "The body has more than " +
  maxProgramBody +
  " bytes. Send large files with POST /ext/v1/uploads, and name them in the create";

// oxlint-disable-next-line no-unused-vars -- CloudFront calls it
function handler(event) {
  var request = event.request;
  var headers = request.headers;
  if (request.uri === "/mcp/") request.uri = "/mcp";
  if (request.uri === unusedPath) return reject(event, 404, "Not Found", "Not Found");
  if (streamsOrigin !== "" && request.method === "GET" && asksForStream(request)) {
    cf.selectRequestOriginById(streamsOrigin);
    return request;
  }
  var length = headers["content-length"];
  // A body without a length is chunked and can have any size. A length that is not a number compares as false.
  var small = length !== undefined && Number(length.value) <= maxSmallBody;
  if (request.method !== "POST" || small) return request;

  if (/^\/(ext\/|mcp$)/.test(request.uri)) {
    if (length === undefined || Number(length.value) <= maxProgramBody) return request;
    return reject(event, 413, "Payload Too Large", tooLargeForPrograms, "files_too_large");
  }

  // The upload server would give the same response, but only after it has received the whole body.
  var key = apiKeyOf(headers);
  if (key === "") return reject(event, 401, "Unauthorized", "Missing API key");
  if (!/^ak_[0-9A-Za-z]{49}$/.test(key)) return reject(event, 401, "Unauthorized", "Invalid API key");
  if (length !== undefined && Number(length.value) > maxBody) {
    return reject(event, 413, "Payload Too Large", "total file size exceeds the allowed limit");
  }
  cf.selectRequestOriginById("large-bodies");
  return request;
}

// As isEventsPath in src/ext/path.ts, and acceptsStream in src/http/rest/list-events.ts.
function asksForStream(request) {
  var accepted = valueOf(request.headers, "accept");
  return /^\/ext\/v1\/runs\/[^/]+\/events$/.test(request.uri) && /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(accepted);
}

// As apiKeyOf in src/http/middleware.ts.
function apiKeyOf(headers) {
  var bearer = /^bearer[ \t]+(.+)$/i.exec(valueOf(headers, "authorization"));
  return (bearer && bearer[1].trim()) || valueOf(headers, "x-api-key");
}

function valueOf(headers, name) {
  return headers[name] ? headers[name].value.trim() : "";
}

function reject(event, status, description, detail, code) {
  var headers = {
    "content-type": { value: "application/json" },
    "x-request-id": { value: event.context.requestId },
  };
  if (status === 401) headers["www-authenticate"] = { value: "Bearer" };
  return {
    statusCode: status,
    statusDescription: description,
    headers: headers,
    body: { encoding: "text", data: JSON.stringify({ detail: detail, code: code }) },
  };
}
