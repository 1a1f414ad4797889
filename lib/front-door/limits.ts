const MiB = 1024 * 1024;

/** Bytes of a body that API Gateway takes. */
const apiGatewayBody = 10 * MiB;
/** Bytes of an event that Lambda takes: the body is one of its strings. */
const lambdaEvent = 6 * MiB;
/** How much longer a body was in the event than it had been on the wire, at least and at most (measured). */
const eventGrowth = { min: 1.26, max: 2 };
/** Base64 makes four characters of three bytes. */
const base64Growth = 4 / 3;

const tenth = MiB / 10;

/** MiB of files in one create, decoded, to the tenth that is on the safe side. */
export const fileLimitsWithoutFrontDoor = {
  /** Up to here they always get through. */
  taken: Math.floor(lambdaEvent / eventGrowth.max / base64Growth / tenth) / 10,
  /** From here on Lambda refuses them. */
  refusedByLambda: Math.ceil(lambdaEvent / eventGrowth.min / base64Growth / tenth) / 10,
  /** From here on API Gateway does. */
  refusedByApiGateway: Math.ceil(apiGatewayBody / base64Growth / tenth) / 10,
};

const { taken, refusedByLambda, refusedByApiGateway } = fileLimitsWithoutFrontDoor;

/** What a deployment without large bodies can't do. */
export const warningWithoutFrontDoor = [
  `largeBodies is off: creates with more than ${taken} MiB of files may be refused, and with more than`,
  `${refusedByLambda} MiB are always refused, where the contract promises 10 MiB: by Lambda with`,
  `413 {"message":"Request Too Long"} and, from ${refusedByApiGateway} MiB on, by API Gateway with 413 as plain text.`,
  "Set largeBodies to web-function or fargate for all 10 MiB.",
].join(" ");
