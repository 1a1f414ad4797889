import { signedHeaders } from "../../src/platform/aws/sign-request.ts";
import { emulated, endpoint } from "./service.ts";

/** Keys of somebody who has certain rights and no others, as the SDK reads them from the environment. */
type Keys = Record<"AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY", string>;

/** A user whom the policy of the output `OperatorPolicyArn` is attached to. */
export async function newOperator(PolicyArn: string): Promise<Keys> {
  const UserName = "operator";
  const keys = await newUser(UserName);
  await iam("AttachUserPolicy", { UserName, PolicyArn });
  return keys;
}

/** A user with the rights of a role, for a process that has no service to take the role for it. */
export async function newStandIn(RoleName: string): Promise<Keys> {
  const UserName = "stand-in";
  const keys = await newUser(UserName);
  const names = await iam("ListRolePolicies", { RoleName });
  const [, PolicyName = ""] = /<PolicyNames>\s*<member>([^<]+)</.exec(names) ?? [];
  const policy = await iam("GetRolePolicy", { RoleName, PolicyName });
  const [, encoded = ""] = /<PolicyDocument>([^<]+)</.exec(policy) ?? [];
  // A secret's Ref is its ARN on AWS, and its name on MiniStack.
  const PolicyDocument = decodeURIComponent(encoded).replaceAll(
    /"Resource": "(?!arn:)([^"]+)"/g,
    '"Resource": "arn:aws:secretsmanager:*:*:secret:$1-*"',
  );
  await iam("PutUserPolicy", { UserName, PolicyName, PolicyDocument });
  return keys;
}

async function newUser(UserName: string): Promise<Keys> {
  await iam("CreateUser", { UserName });
  const made = await iam("CreateAccessKey", { UserName });
  const [, id = ""] = /<AccessKeyId>([^<]+)</.exec(made) ?? [];
  const [, secret = ""] = /<SecretAccessKey>([^<]+)</.exec(made) ?? [];
  return { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
}

/** A call of IAM, whose client is not among the packages. Resolves with the answer's XML. */
async function iam(Action: string, parameters: Record<string, string>): Promise<string> {
  const url = new URL("/", endpoint());
  const body = String(new URLSearchParams({ Action, Version: "2010-05-08", ...parameters }));
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const headers = await signedHeaders({ aws: emulated(), service: "iam", method: "POST", url, body, headers: form });
  const answer = await fetch(url, { method: "POST", headers, body });
  const xml = await answer.text();
  if (!answer.ok) throw new Error(`IAM refused ${Action}: ${xml}`);
  return xml;
}
