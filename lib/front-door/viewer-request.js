import cf from "cloudfront";

// API Gateway hands a body on as a string in JSON, which made it up to twice as long; Lambda takes 6 MB.
var largest = 3000000;

// oxlint-disable-next-line no-unused-vars -- CloudFront calls it
function handler(event) {
  var request = event.request;
  var length = request.headers["content-length"];
  // A body without a length is chunked, and may be of any size. A length that is no number compares as false.
  var small = length !== undefined && Number(length.value) <= largest;
  if (request.method === "POST" && !small) {
    cf.selectRequestOriginById("large-bodies");
  }
  return request;
}
