import type { ModelSettings } from "../accounts/model-settings.ts";

// The properties of the custom resources. CloudFormation sends numbers as texts.

export interface OrganizationProperties {
  Name: string;
  /** Absent: operators set the model. */
  Model?: ModelSettings;
}

export interface AgentProperties {
  OrganizationId: string;
  /** The text of the agent file. */
  Definition: string;
}

export interface ApiKeyProperties {
  /** The first one is that which is meant where none is named. */
  AgentIds: string[];
  Name?: string;
  /** Gets the value of the key. */
  SecretArn: string;
}

/** One of the kinds, with its properties. */
export type Definition =
  | { kind: "organization"; properties: OrganizationProperties }
  | { kind: "agent"; properties: AgentProperties }
  | { kind: "api_key"; properties: ApiKeyProperties };

/** The types of the custom resources. */
export const resourceTypes = {
  organization: "Custom::AgentRunOrganization",
  agent: "Custom::AgentRunAgent",
  api_key: "Custom::AgentRunApiKey",
} as const satisfies Record<Definition["kind"], string>;
