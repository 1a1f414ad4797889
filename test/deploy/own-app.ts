import { App, CfnOutput, Stack, Stage } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Agent, AgentRunService, ApiKey, Organization } from "../../lib/cdk.ts";
import { replaceFormulas } from "./emulated-alarms.ts";

// Somebody's own app, as definitions.test.ts deploys it from another folder. Each stage is the same stack at another time: with an
// agent, with a changed one, and without. They share the functions' code, which is bundled once.

const app = new App();
newStack("Created", "support.json");
newStack("Changed", "support-desk.json");
newStack("Ended");

/** Without `file`, the stack has no agent and no key. */
function newStack(time: string, file?: string): void {
  const stack = new Stack(new Stage(app, time), "OwnApp", { stackName: "OwnApp" });
  const service = new AgentRunService(stack, "Agents", { stage: "own", sandbox: "off", removal: "destroy" });
  const organization = new Organization(service, "Acme", { name: "Acme", model: { provider: "demo" } });
  if (file !== undefined) {
    const support = new Agent(service, "Support", { file, organization });
    const { secret } = new ApiKey(service, "ShopKey", { agents: [support], name: "Shop" });
    new CfnOutput(stack, "KeySecret", { value: secret.secretArn });
    new CfnOutput(stack, "AgentId", { value: support.agentId });
  }
  // In MiniStack, a secret's Ref is its name instead of its ARN. test/infra/construct.test.ts asserts the real permission.
  const actions = ["secretsmanager:PutSecretValue", "secretsmanager:GetSecretValue"];
  const resources = ["arn:aws:secretsmanager:us-east-1:000000000000:secret:*"];
  service.definitionsFunction().addToRolePolicy(new PolicyStatement({ actions, resources }));
  replaceFormulas(stack);
}
