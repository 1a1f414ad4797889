/** The service stack's outputs. `npm run admin -- --stack NAME` finds table, bucket and state machine by them. */
export const outputs = {
  ApiUrl: "Base address of the API",
  TableName: "Organizations, agents, keys, runs and their transcripts",
  BucketName: "Workspace files, and texts too large for the table",
  StateMachineArn: "Drives the turns, one execution each",
  RetentionDays: "Days after its creation that a run is deleted",
  OperatorPolicyArn: "What npm run admin -- --stack needs: attach it to the people who operate the service",
} as const;

export type OutputName = keyof typeof outputs;
