import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import type { Model } from "../model.ts";
import { modelFetch } from "./model-fetch.ts";
import { streamedModel } from "./streamed.ts";

export interface Bedrock {
  /** Model or inference profile, by id or ARN. */
  model: string;
  /** AWS region, such as `eu-central-1`. */
  region: string;
  /** Another address than the region's, such as that of a VPC endpoint. */
  baseUrl?: string;
  /** Milliseconds without a byte after which the server is given up. */
  silence?: number;
}

/**
 * A model on Amazon Bedrock, by the Converse API. Requests are signed with the AWS credentials of the process's
 * environment, or carry its Bedrock API key (`AWS_BEARER_TOKEN_BEDROCK`).
 */
export function bedrock({ model, region, baseUrl, silence }: Bedrock): Model {
  const carried = new Set<string>();
  const send = modelFetch({ silence, type: /vnd\.amazon\.eventstream/ });
  const provider = createAmazonBedrock({
    region,
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    fetch: (input, init) => {
      // A refused signature is answered with the headers it was made of, the session token among them.
      const headers = new Headers(init?.headers);
      const token = headers.get("x-amz-security-token") ?? headers.get("authorization")?.replace(/^Bearer /, "");
      if (token) carried.add(token);
      return send(input, init);
    },
  });
  return streamedModel({
    languageModel: provider(model),
    endpoint: {
      provider: "bedrock",
      address: baseUrl ?? `Amazon Bedrock in ${region}`,
      model,
      wire: "Bedrock's Converse API",
      credentials:
        "that the AWS credentials of the process may call bedrock:InvokeModelWithResponseStream for the model, and " +
        "that the account has access to the model in its region",
      secrets: () => [...carried],
    },
    callsNeedTools: true,
  });
}
