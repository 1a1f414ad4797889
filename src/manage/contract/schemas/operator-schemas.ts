import { maxOrganizations } from "../../../accounts/account-limits.ts";
import { auditActions } from "../../../accounts/account-types.ts";
import { reference } from "../../../http/description.ts";
import { expiry } from "./key-schemas.ts";
import {
  body,
  flag,
  integer,
  list,
  nullable,
  object,
  oneOfTexts,
  page,
  text,
  time,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";

const role = oneOfTexts("`viewer` may only read.", ["operator", "viewer"]);

const organizations = list("The role in single organizations.", reference("OrganizationRole"));
const access = {
  role: nullable({
    ...role,
    description: "The role in all organizations. Null: only in `organizations`. `viewer` may only read.",
  }),
  organizations,
};

const operator = {
  id: uuid("The operator's ID."),
  hint: text("The first characters of the token.", { examples: ["ao_9sKd02"] }),
  name: text("Name for people. The audit log has it with the hint."),
  ...access,
  enabled: flag("False: the token is revoked."),
  created_at: time("When it was created."),
  expires_at: nullable(time("From when on requests with the token are rejected. Null: it does not expire.")),
  last_used_at: nullable(time("Within the hour before the last request with the token. Null: not used yet.")),
};

export const operatorSchemas = {
  Me: object("The caller, and what the service is.", {
    name: text("Name of the caller."),
    ...access,
    platform: oneOfTexts("Where the service runs: on one machine, or on AWS.", ["local", "aws"]),
    version: text("Version of the service.", { examples: ["0.1.0"] }),
    service_url: nullable(
      text("Base address of v1, for programs. Null: unknown.", { examples: ["http://127.0.0.1:8787"] }),
    ),
    stack: nullable(text("Name of the stack on AWS.")),
    sign_in: oneOfTexts("How the caller signed in: an operator token, AWS credentials, or a JWT.", [
      "token",
      "aws",
      "jwt",
    ]),
    commands: object("How commands are typed where the service was started. Options follow.", {
      start: text("Starts a service on one machine.", { examples: ["npm start --"] }),
      admin: text("Manages a service.", { examples: ["npm run -s admin --"] }),
    }),
    secrets: object("Which secrets a model or an MCP server may name.", {
      accepted: nullable(list("The accepted locations. Null: they are not listed.", { type: "string" })),
      hint: text("How to name a secret, and how to allow another."),
    }),
    limits: object("Limits of a new run.", {
      files: integer("Number of files."),
      file_bytes: integer("Bytes of all files together."),
      name_length: integer("Characters of the name."),
      body_bytes: integer("Bytes of the request's body."),
    }),
    environments: nullable(
      list(
        "The environments that `run_shell` and `run_python` can run in, the default first. Null: they are not listed.",
        reference("Environment"),
      ),
    ),
  }),
  Environment: object("A Linux in which programs of agents run. What is null is not known before its first program.", {
    name: text("As agent files name it.", { examples: ["linux"] }),
    unavailable: nullable(text("Why it cannot be used here, and what to do. The other fields are null then.")),
    engine: nullable(oneOfTexts("What runs its programs.", ["bubblewrap", "docker", "podman", "lambda"])),
    digest: nullable(text("Identifies its content: `sha256:` and 64 hex digits.")),
    system: nullable(text("The system.", { examples: ["Debian 13"] })),
    programs: nullable({
      type: "object",
      description: "Version by program.",
      additionalProperties: { type: "string" },
      examples: [{ gawk: "5.2.1" }],
    }),
    python: nullable(
      object("Python with its libraries.", {
        version: text("Version of Python.", { examples: ["3.13.5"] }),
        libraries: { type: "object", description: "Version by library.", additionalProperties: { type: "string" } },
      }),
    ),
  }),
  Operator: object("A person or program that calls this API, without its token.", operator),
  OrganizationRole: body("A role in one organization.", { id: uuid("The organization's ID."), role }, ["id", "role"]),
  OperatorPage: page(reference("Operator"), "Always null: the list has all operators."),
  CreateOperatorRequest: body(
    "An operator to create.",
    {
      name: text("Name for people.", { minLength: 1, maxLength: 200, examples: ["Jo Sato"] }),
      role: { ...role, description: "The role in all organizations. Left out: only `organizations` count." },
      organizations: { ...organizations, maxItems: maxOrganizations },
      expires_at: nullable(time(expiry("The token"))),
    },
    ["name"],
  ),
  CreatedOperator: object("A new operator.", {
    ...operator,
    token: text("The token itself. Only this response has it.", { examples: ["ao_9sKd02…"] }),
  }),
  AuditEntry: object("One action of an operator.", {
    at: time("When."),
    actor: text("Who: name of an operator or of a user of the system, or ARN of an AWS caller."),
    action: text("What.", { examples: [...auditActions] }),
    id: text("The organization, agent, run, delivery or operator. Of a key its ID, of a webhook its agent."),
    version: nullable(integer("With `agent.create` and `agent.update`: the new version.")),
    organization_id: nullable(
      uuid("The organization that it concerns. Null: none, or an earlier release recorded the action."),
    ),
  }),
  AuditPage: page(reference("AuditEntry"), "Always null: for older actions, pass `until`."),
};
