import { readFileSync } from "node:fs";
import { CustomResource, Duration } from "aws-cdk-lib";
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { resourceTypes } from "../src/definitions/definition-types.ts";
import type { AgentRunService } from "./agent-run-service.ts";
import { grant } from "./service-function.ts";

/** The model of an organization, as `agent-run-service admin org set-model` takes it. */
export interface ModelProps {
  /** `demo` calls no model. */
  readonly provider: "demo" | "openai-compatible" | "openai-responses" | "anthropic" | "bedrock";
  /** The provider's name of the model. */
  readonly model?: string;
  /** The http or https URL of the model server. */
  readonly baseUrl?: string;
  /**
   * `secretsmanager:NAME` of the provider's API key: the secret `agent-run-service/STAGE/ORGANIZATION_ID/NAME`. It may be created
   * after the organization.
   */
  readonly secret?: string;
  /** AWS region of Amazon Bedrock. */
  readonly region?: string;
  /** How the server differs from OpenAI's API, such as `supportsStreamOptions=false`. */
  readonly compat?: string;
  /** Whole seconds without an answer after which a call fails. */
  readonly idleSeconds?: number;
}

export interface OrganizationProps {
  /** For people. It cannot be changed. */
  readonly name: string;
  /** Default: operators set the model. */
  readonly model?: ModelProps;
}

/** An organization, the owner of agents. The deletion of its construct or stack leaves it, with all that it has. */
export class Organization extends Construct {
  readonly organizationId: string;

  constructor(service: AgentRunService, id: string, { name, model }: OrganizationProps) {
    super(service, id);
    const resource = newResource(this, service, "organization", { Name: name, ...(model && { Model: { ...model } }) });
    this.organizationId = resource.ref;
  }
}

export interface AgentProps {
  /** Path of the agent file (JSON), relative to the working directory. It is checked during the deployment. */
  readonly file: string;
  /** The owner, or its id. An agent with another owner is a new agent, and the former one is archived. */
  readonly organization: Organization | string;
}

/** An agent. Another definition is a new version of it. The deletion of its construct archives it: its runs stay. */
export class Agent extends Construct {
  readonly agentId: string;

  constructor(service: AgentRunService, id: string, { file, organization }: AgentProps) {
    super(service, id);
    const OrganizationId = typeof organization === "string" ? organization : organization.organizationId;
    this.agentId = newResource(this, service, "agent", { OrganizationId, Definition: compactJson(file) }).ref;
  }
}

export interface ApiKeyProps {
  /** The agents that the key can be used for, or their ids: 1 to 20 of one organization. The first is meant where none is named. */
  readonly agents: (Agent | string)[];
  /** For people, such as the system that uses the key. */
  readonly name?: string;
}

/** An API key, with its value in a secret. A change of a property makes a new key and disables the former one, as the deletion does. */
export class ApiKey extends Construct {
  /** Has the key as its text. */
  readonly secret: ISecret;

  constructor(service: AgentRunService, id: string, { agents, name }: ApiKeyProps) {
    super(service, id);
    this.secret = new Secret(this, "Secret", { description: "API key of the Agent Run Service" }) as ISecret;
    const { secretArn } = this.secret;
    // It reads the value when CloudFormation's request is delivered again.
    const store = {
      actions: ["secretsmanager:PutSecretValue", "secretsmanager:GetSecretValue"],
      resources: [secretArn],
    };
    grant(service.definitionsFunction(), {}, store);
    newResource(this, service, "api_key", {
      AgentIds: agents.map((each) => (typeof each === "string" ? each : each.agentId)),
      SecretArn: secretArn,
      ...(name !== undefined && { Name: name }),
    });
  }
}

function newResource(
  scope: Construct,
  service: AgentRunService,
  kind: keyof typeof resourceTypes,
  properties: Record<string, unknown>,
): CustomResource {
  return new CustomResource(scope, "Resource", {
    serviceToken: service.definitionsFunction().functionArn,
    serviceTimeout: Duration.minutes(5), // CloudFormation waits an hour by default
    resourceType: resourceTypes[kind],
    properties,
  });
}

/** The JSON of a file without white space. Throws if it is none. */
function compactJson(file: string): string {
  try {
    return JSON.stringify(JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, "")));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be read as an agent file: ${reason}. Expected a JSON file (docs/agents.md)`, {
      cause: error,
    });
  }
}
