/** The service stack's outputs. `npm run admin -- --stack NAME` reads table, bucket and state machine from them. */
export const outputs = {
  ApiUrl: "Base URL of the API",
  TableName: "Table of organizations, agents, API keys and runs",
  BucketName: "Bucket of workspace files, and of texts that are too large for the table",
  StateMachineArn: "State machine that drives turns, one execution per turn",
  RetentionDays: "Days after which a run is deleted",
  RequestsPerSecond: "Request rate of the API's throttle",
  ConcurrentRuns: "Concurrent executions that are reserved for runs; 0: none",
  SandboxMode: "What agents can run: programs in Linux environments, JavaScript only, or none (off)",
  EnvironmentImages: "Ids of the images of the Linux environments, by name",
  SecretPrefix: "Name prefix of the secrets. The id of an organization and a slash follow",
  AlarmTopicArn: "SNS topic of the alarms",
  OperatorPolicyArn: "Policy for npm run admin -- --stack. Attach it to operators",
  ViewerPolicyArn: "Policy for npm run console -- --stack --read-only. Attach it to those who only read",
} as const;

export type OutputName = keyof typeof outputs;

/** Name of the service stack. */
export function serviceStackName(stage: string): string {
  return `AgentRunService-${stage}`;
}

/** Name of the front door's stack. */
export function frontDoorStackName(stage: string): string {
  return `AgentRunFrontDoor-${stage}`;
}
