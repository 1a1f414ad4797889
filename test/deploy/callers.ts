import { signedHeaders } from "../../src/platform/aws/sdk/sign-request.ts";
import { emulated, endpoint } from "./service.ts";

/** Access keys of a user with limited rights, in the environment variables of the SDK. */
type Keys = Record<"AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY", string>;

/** Creates a user with this policy only. */
export async function newUserWith(UserName: string, PolicyArn: string): Promise<Keys> {
  const keys = await newUser(UserName);
  await iam("AttachUserPolicy", { UserName, PolicyArn });
  return keys;
}

/** Creates a user with the rights of a role, for a local process that cannot assume the role. */
export async function newStandIn(name: string, RoleName: string): Promise<Keys> {
  const UserName = `stand-in-${name}`;
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

/** Calls IAM, whose SDK client is not installed. Resolves with the XML of the response. */
async function iam(Action: string, parameters: Record<string, string>): Promise<string> {
  const url = new URL("/", endpoint());
  const body = String(new URLSearchParams({ Action, Version: "2010-05-08", ...parameters }));
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const headers = await signedHeaders({ aws: emulated(), service: "iam", method: "POST", url, body, headers: form });
  const answer = await fetch(url, { method: "POST", headers, body });
  const xml = await answer.text();
  if (!answer.ok) throw new Error(`IAM rejected ${Action}: ${xml}`);
  return xml;
}
