import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import type { PolicyStatementProps } from "aws-cdk-lib/aws-iam";
import type { Function } from "aws-cdk-lib/aws-lambda";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership, HttpMethods } from "aws-cdk-lib/aws-s3";
import { Construct, type IConstruct } from "constructs";
import {
  listIndex,
  objectPrefixes,
  organizationIndex,
  partitionKey,
  runningIndex,
  sortKey,
  ttlAttribute,
} from "../src/platform/aws/dynamodb/table.ts";
import { acknowledgeWildcard, arnInFindings, grant } from "./service-function.ts";
import type { Settings } from "./settings.ts";

type ItemKind =
  | "KEY"
  | "AGENT"
  | "ORG"
  | "RUN"
  | "COUNT"
  | "CONFIG"
  | "UPLOAD"
  | "AUDIT"
  | "IDEMPOTENCY"
  | "WEBHOOK"
  | "DELIVERY"
  | "DELIVERIES"
  | "OPERATORS"
  | "TRIAL"
  | "TRIALS"
  | "TRIED"
  | "ORGS"
  | "AGENTS"
  | "KEYS"
  | "RUNS"
  | "RUNNING"
  | "WAITING"
  | "ASKING"
  | typeof everyOrganization;
type ItemAction = "GetItem" | "BatchGetItem" | "Query" | "PutItem" | "UpdateItem" | "ConditionCheckItem" | "DeleteItem";
type Prefix = keyof typeof objectPrefixes;

/**
 * `kinds`: prefixes of the partition key (`src/platform/aws/dynamodb/table.ts`), or of the index's key if `index` is set.
 * `attributes`: the only attributes that the calls may name, the key included.
 */
export interface ItemPermission {
  kinds: ItemKind[];
  actions: ItemAction[];
  index?: string;
  attributes?: string[];
}

/** For functions that authenticate requests: records when a key was last used, and cannot change the key. */
export const keyUse: ItemPermission = {
  kinds: ["KEY"],
  actions: ["UpdateItem"],
  attributes: [partitionKey, sortKey, "lastUsedAt"],
};

/** For functions that stream runs: marks a run as watched, and cannot change it otherwise. */
export const marksWatched: ItemPermission = {
  kinds: ["RUN"],
  actions: ["UpdateItem"],
  attributes: [partitionKey, sortKey, "watchedUntil"],
};

/** For functions that create runs: whether an agent has a webhook, without its URL and secrets. */
export const webhookState: ItemPermission = {
  kinds: ["WEBHOOK"],
  actions: ["GetItem"],
  attributes: [partitionKey, sortKey, "state"],
};

/** For viewers: an agent's webhook without its secrets. */
export const webhookView: ItemPermission = { ...webhookState, attributes: [partitionKey, sortKey, "view"] };

/** What a change of a run's status writes, in one statement, because one transaction writes all of them. */
const changedWithRun: ItemKind[] = ["RUN", "COUNT", "DELIVERY"];

/** For functions that end turns, and do nothing else with runs. */
export const endsTurns: ItemPermission = { kinds: changedWithRun, actions: ["PutItem", "UpdateItem"] };

/** For functions that move trials on. They also create runs. */
export const drivesTrials: ItemPermission[] = [{ kinds: ["TRIAL"], actions: ["GetItem", "Query", "UpdateItem"] }];

/** For functions that create runs, and start waiting ones. */
export const createsRuns: ItemPermission[] = creates(changedWithRun);

/** As `createsRuns`, with idempotency keys. */
export const createsKeyedRuns: ItemPermission[] = [
  ...creates([...changedWithRun, "IDEMPOTENCY"]),
  { kinds: ["IDEMPOTENCY"], actions: ["GetItem"] },
];

/** For the function that enqueues deliveries: it adds one for each endpoint, and removes one that no endpoint wants. */
export const enqueuesDeliveries: ItemPermission[] = [
  { kinds: ["DELIVERY"], actions: ["GetItem", "PutItem", "DeleteItem"] },
  webhookState,
];

/** For the function that sends deliveries. It disables a webhook whose receiver is gone. */
export const sendsDeliveries: ItemPermission[] = [
  { kinds: ["RUN"], actions: ["Query"] },
  { kinds: ["WEBHOOK", "DELIVERY"], actions: ["GetItem"] },
  { kinds: ["DELIVERY"], actions: ["UpdateItem"] },
  { kinds: ["WEBHOOK"], actions: ["PutItem"] },
];

function creates(kinds: ItemKind[]): ItemPermission[] {
  return [
    { kinds, actions: ["PutItem", "UpdateItem", "ConditionCheckItem"] },
    { kinds: ["COUNT"], actions: ["Query"] },
    { kinds: ["WAITING"], actions: ["Query"], index: runningIndex.name },
  ];
}

const objectActions = { read: "s3:GetObject", write: "s3:PutObject", remove: "s3:DeleteObject" };

/** Which objects, by prefix in the bucket. */
export type ObjectPermissions = { [Access in keyof typeof objectActions]?: Prefix[] };

/** The service's data: one DynamoDB table and one S3 bucket. */
export class Storage extends Construct {
  readonly table: TableV2;
  readonly bucket: Bucket;
  readonly #retentionDays: number;

  constructor(scope: Construct, id: string, { removal, retentionDays, corsOrigins }: Settings) {
    super(scope, id);
    this.#retentionDays = retentionDays;
    const keep = removal === "retain";
    const removalPolicy = keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

    this.table = new TableV2(this, "Table", {
      partitionKey: key(partitionKey),
      sortKey: key(sortKey),
      timeToLiveAttribute: ttlAttribute,
      globalSecondaryIndexes: [
        {
          indexName: listIndex.name,
          partitionKey: key(listIndex.partitionKey),
          sortKey: key(listIndex.sortKey),
          projectionType: ProjectionType.ALL,
        },
        {
          indexName: runningIndex.name,
          partitionKey: key(runningIndex.partitionKey),
          sortKey: key(runningIndex.sortKey),
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes: [...runningIndex.nonKeyAttributes],
        },
        {
          indexName: organizationIndex.name,
          partitionKey: key(organizationIndex.partitionKey),
          sortKey: key(organizationIndex.sortKey),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      dynamoStream: StreamViewType.KEYS_ONLY, // no content of an item reaches the readers of the stream
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: keep,
      removalPolicy,
    });

    this.bucket = new Bucket(this, "Bucket", {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // A browser follows the redirect of a download with the origin `null`. What opens the object is its signed URL.
      ...(corsOrigins.length > 0 && {
        cors: [
          { allowedOrigins: ["*"], allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], exposedHeaders: ["ETag"] },
        ],
      }),
      lifecycleRules: [
        { id: "abandoned-uploads", abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // A day later than the item itself: readers load the item first, so they never miss an object.
        ...Object.entries({ workspaces: retentionDays, texts: retentionDays, uploads: 1, staging: 1 }).map(
          ([name, days]) => ({
            id: `expired-${name}`,
            prefix: objectPrefixes[name as Prefix],
            expiration: Duration.days(days + 1),
          }),
        ),
      ],
      // A first deployment that fails deletes the empty bucket again. The protected table stays and is deleted by hand.
      removalPolicy: keep ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : removalPolicy,
      autoDeleteObjects: !keep,
    });
    Validations.of(this.bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "Only this stack's functions access the bucket, each with its own role. CloudTrail distinguishes them.",
    });
  }

  /** Lets the function use items of these kinds, and no other items. */
  grantItems(fn: Function, permissions: ItemPermission[]): void {
    const createsItems = permissions.some(({ kinds, actions }) => kinds.includes("RUN") && actions.includes("PutItem"));
    const expiry = createsItems ? { RETENTION_DAYS: String(this.#retentionDays) } : {};
    grant(fn, { TABLE_NAME: this.table.tableName, ...expiry }, ...this.itemStatements(permissions));
  }

  /** Lets the function use objects below these prefixes, and no other objects. */
  grantObjects(fn: Function, permissions: ObjectPermissions): void {
    grant(fn, { BUCKET_NAME: this.bucket.bucketName }, ...this.objectStatements(permissions));
    this.acknowledgeObjects(fn.role ?? fn, permissions);
  }

  /**
   * Lets the function list the bucket. Not restricted to a prefix: GetObject has no prefix, so with that condition S3
   * would answer "access denied" instead of "not found" for a missing object.
   */
  grantList(fn: Function): void {
    grant(fn, { BUCKET_NAME: this.bucket.bucketName }, this.listStatement());
  }

  /** One statement per permission. With `index`, the kinds are prefixes of the index's partition key. */
  itemStatements(permissions: ItemPermission[]): PolicyStatementProps[] {
    return permissions.map((permission) => itemStatement(this.table.tableArn, permission));
  }

  objectStatements(permissions: ObjectPermissions): PolicyStatementProps[] {
    return objectStatements(this.bucket.bucketArn, permissions);
  }

  listStatement(): PolicyStatementProps {
    return { actions: ["s3:ListBucket"], resources: [this.bucket.bucketArn] };
  }

  /** Acknowledges cdk-nag's findings for the wildcards of `objectStatements` in a policy of `owner`. */
  acknowledgeObjects(owner: IConstruct, permissions: ObjectPermissions): void {
    acknowledgeObjects(owner, arnInFindings(this.bucket), permissions);
  }
}

/** The statements for the objects of a bucket: one for each access. */
export function objectStatements(bucketArn: string, permissions: ObjectPermissions): PolicyStatementProps[] {
  return Object.entries(objectActions).flatMap(([access, action]) => {
    const prefixes = permissions[access as keyof ObjectPermissions] ?? [];
    const resources = prefixes.map((prefix) => `${bucketArn}/${objectPrefixes[prefix]}*`);
    return resources.length > 0 ? [{ actions: [action], resources }] : [];
  });
}

/** Acknowledges cdk-nag's findings for the wildcards of `objectStatements`. `bucket`: the bucket's ARN as in findings. */
export function acknowledgeObjects(owner: IConstruct, bucket: string, permissions: ObjectPermissions): void {
  for (const prefix of new Set<Prefix>(Object.values(permissions).flat())) {
    const objects = `${bucket}/${objectPrefixes[prefix]}*`;
    acknowledgeWildcard(owner, objects, "Object names contain ids, so they cannot be listed in advance.");
  }
}

/** The statement of one permission on a table. */
export function itemStatement(
  tableArn: string,
  { kinds, actions, index, attributes }: ItemPermission,
): PolicyStatementProps {
  return {
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [index === undefined ? tableArn : `${tableArn}/index/${index}`],
    conditions: {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": kinds.map(partitionsOf) },
      // Without the last conditions, a read or an update could return the other attributes.
      ...(attributes && {
        "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes },
        StringEqualsIfExists: {
          "dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"],
          // Of reads. An update has no such parameter, and must not be refused for its default.
          ...(actions.some((action) => action !== "UpdateItem") && { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" }),
        },
      }),
    },
  };
}

/** As a kind: the partitions of all organizations in an index. */
export const everyOrganization = "*";

const singlePartitions = new Set<ItemKind>(["ORGS", "AGENTS", "AUDIT", "OPERATORS", everyOrganization]);

/** Some kinds are single partitions. For any other, `#` and an id follow. */
function partitionsOf(kind: ItemKind): string {
  return singlePartitions.has(kind) ? kind : `${kind}#*`;
}

function key(name: string) {
  return { name, type: AttributeType.STRING };
}
