import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { AgentRunService } from "./agent-run-service.ts";
import { serviceStackName } from "./outputs.ts";
import type { Settings } from "./settings.ts";
import { terminationProtection } from "./termination-protection.ts";

/** The service without the front door. */
export class ServiceStack extends Stack {
  readonly service: AgentRunService;

  constructor(scope: Construct, settings: Settings) {
    const stackName = serviceStackName(settings.stage);
    super(scope, stackName, {
      stackName, // within a CDK Stage, too
      description: "Agent Run Service: agent runs over HTTP",
      terminationProtection: terminationProtection(scope, stackName, settings),
    });
    // CDK leaves the id `Default` out of logical ids: deployed stacks of earlier releases keep theirs.
    this.service = new AgentRunService(this, "Default", settings);
  }
}
