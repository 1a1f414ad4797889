import cf from "cloudfront";

// Bytes. Lambda accepts 6 MB, and API Gateway passes a body as a JSON string, up to twice as long (measured).
var maxSmallBody = 3000000;

// oxlint-disable-next-line no-unused-vars -- CloudFront calls it
function handler(event) {
  var request = event.request;
  var length = request.headers["content-length"];
  // A body without a length is chunked and can have any size. A length that is not a number compares as false.
  var small = length !== undefined && Number(length.value) <= maxSmallBody;
  if (request.method === "POST" && !small) {
    cf.selectRequestOriginById("large-bodies");
  }
  return request;
}
