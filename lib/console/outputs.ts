/** Outputs of the console's stack. The last two exist with `console` `cognito` only. */
export const consoleOutputs = {
  ConsoleUrl: "Address of the web application",
  UserPoolId: "User pool of the people who may sign in. npm run admin -- operator invite reads it",
  InvitePolicyArn: "Policy for npm run admin -- operator invite. Attach it to those who invite people",
} as const;

/** Name of the console's stack. */
export function consoleStackName(stage: string): string {
  return `AgentRunConsole-${stage}`;
}
