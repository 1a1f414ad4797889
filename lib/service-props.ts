import type { ITopic } from "aws-cdk-lib/aws-sns";

/**
 * Properties of `AgentRunService`. All are optional. They are the settings of the same names of docs/deploying.md, which describes
 * them further. MB are 1,048,576 bytes.
 */
export interface AgentRunServiceProps {
  /**
   * Name of the deployment: part of the names of its secrets, `agent-run-service/STAGE/…`. Unique in an account and region. 1 to 20
   * lower-case letters, digits and hyphens, starting with a letter. Default: `prod`.
   */
  readonly stage?: string;
  /** What the deletion of the stack does with the table and the bucket. `destroy` deletes all runs. Default: `retain`. */
  readonly removal?: "retain" | "destroy";
  /** Days after its creation that a run is deleted, 1 to 3,650. Default: 90. */
  readonly retentionDays?: number;
  /** Origins of pages that may use `/ext/v1`, such as `https://app.example.com`. Default: none. */
  readonly corsOrigins?: string[];
  /** Sustained requests per second of the API, 1 to 10,000; above it, API Gateway answers 429. `auto`, the default: 500. */
  readonly requestsPerSecond?: number | "auto";
  /**
   * Maximum number of runs advanced at the same time, as reserved concurrency of Lambda; further runs queue. 0, and `auto`, the
   * default: none is reserved.
   */
  readonly concurrentRuns?: number | "auto";
  /**
   * Environments of each of the functions `Create`, `Get` and `Advance` that have started before a request comes, 1 to 100. They are
   * paid all the time. The functions are then called by an alias, which can go back to an earlier version. Default: 0, none.
   */
  readonly warm?: number;
  /** Email address for alarm notifications. Default: none. */
  readonly alarmEmail?: string;
  /** Receives alarm notifications instead of a new topic. Its policy has to let CloudWatch publish. Default: a new topic. */
  readonly alarmTopic?: ITopic;
  /** Ids of the Amazon Bedrock models and inference profiles that agents can use. Default: none. */
  readonly bedrockModels?: string[];
  /** The two availability zones of the sandbox's VPC. Default: the first two of the region. */
  readonly availabilityZones?: string[];
  /**
   * What agents can run. `linux`: programs in `environments`, and JavaScript; Docker builds the images during the deployment.
   * `javascript`: JavaScript, and Python without libraries. Default: `linux`.
   */
  readonly sandbox?: "linux" | "javascript" | "off";
  /** Processor of the Linux environments. Default: `arm64`. */
  readonly sandboxArchitecture?: "arm64" | "x86_64";
  /** Whether Lambda keeps agents apart in the sandbox. Default: `on`. */
  readonly sandboxTenancy?: "on" | "off";
  /**
   * Linux environments by name: a folder with a Dockerfile, or an image in Amazon ECR by its digest. `linux` is required. Default:
   * the environment of the service.
   */
  readonly environments?: Record<string, string>;
  /** Id of AWS's prefix list of S3 in the region, for the rule of the sandbox's security group. Default: none. */
  readonly s3PrefixList?: string;
  /** Whether tools and webhooks may connect to private IP addresses. Default: `refused`. */
  readonly privateAddresses?: "refused" | "allowed";
  /** Base URL of an OpenTelemetry collector (OTLP over HTTP, without authentication). Default: runs are not traced. */
  readonly otlpEndpoint?: string;
}
