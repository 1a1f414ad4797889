const MiB = 1024 * 1024;

/** Largest request body that API Gateway accepts, in bytes. */
const apiGatewayBody = 10 * MiB;
/** Largest event that Lambda accepts, in bytes. The body is a string in it. */
const lambdaEvent = 6 * MiB;
/** Length of a body in the event divided by its length on the wire (measured). */
const eventGrowth = { min: 1.26, max: 2 };
/** Base64 encodes three bytes as four characters. */
const base64Growth = 4 / 3;

const tenth = MiB / 10;

/** Limits for the decoded files of one create, in MiB, rounded to the safe tenth. */
export const fileLimitsWithoutFrontDoor = {
  /** Creates up to this size are always accepted. */
  accepted: Math.floor(lambdaEvent / eventGrowth.max / base64Growth / tenth) / 10,
  /** Lambda rejects larger creates. */
  rejectedByLambda: Math.ceil(lambdaEvent / eventGrowth.min / base64Growth / tenth) / 10,
  /** API Gateway rejects larger creates. */
  rejectedByApiGateway: Math.ceil(apiGatewayBody / base64Growth / tenth) / 10,
};

const { accepted, rejectedByLambda, rejectedByApiGateway } = fileLimitsWithoutFrontDoor;

/** Synthesis warning for a deployment without front door. */
export const warningWithoutFrontDoor = [
  `largeBodies is off: the API rejects creates that the contract allows (10 MiB of files).`,
  `Creates with up to ${accepted} MiB of files are accepted. Larger ones may be rejected.`,
  `From ${rejectedByLambda} MiB on, Lambda rejects all of them with 413 {"message":"Request Too Long"};`,
  `from ${rejectedByApiGateway} MiB on, API Gateway rejects them with 413 in plain text.`,
  "To accept all 10 MiB, set largeBodies to web-function or fargate.",
].join(" ");
