import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Function } from "aws-cdk-lib/aws-lambda";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import {
  listIndex,
  objectPrefixes,
  partitionKey,
  runningIndex,
  sortKey,
  ttlAttribute,
} from "../lambdas/stores/aws/table.ts";
import { acknowledgeWildcard, arnInFindings, grant } from "./functions.ts";
import type { Settings } from "./settings.ts";

type ItemKind = "KEY" | "AGENT" | "ORG" | "RUN";
type Prefix = keyof typeof objectPrefixes;
type ItemAction = "GetItem" | "Query" | "PutItem" | "UpdateItem" | "ConditionCheckItem";

/** Everything that is kept: one table and one bucket. */
export class Storage extends Construct {
  readonly table: TableV2;
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { removal }: Settings) {
    super(scope, id);
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
      ],
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
      lifecycleRules: [{ id: "abandoned-uploads", abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy,
      autoDeleteObjects: !keep,
    });
    Validations.of(this.bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "Only this stack's functions reach the bucket, each with a role of its own; CloudTrail tells them apart.",
    });
  }

  /** The function may do this with items of these kinds (the prefix of the partition key), and with no other item. */
  grantItems(fn: Function, rights: { kinds: ItemKind[]; actions: ItemAction[] }[]): void {
    grant(
      fn,
      { TABLE_NAME: this.table.tableName },
      ...rights.map(({ kinds, actions }) => ({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.table.tableArn],
        conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": kinds.map((kind) => `${kind}#*`) } },
      })),
    );
  }

  /** The function may read or write objects below these prefixes, and no others. */
  grantObjects(fn: Function, { read = [], write = [] }: { read?: Prefix[]; write?: Prefix[] }): void {
    const below = (prefix: Prefix) => this.bucket.arnForObjects(`${objectPrefixes[prefix]}*`);
    grant(
      fn,
      { BUCKET_NAME: this.bucket.bucketName },
      ...(read.length > 0 ? [{ actions: ["s3:GetObject"], resources: read.map(below) }] : []),
      ...(write.length > 0 ? [{ actions: ["s3:PutObject"], resources: write.map(below) }] : []),
    );
    for (const prefix of new Set([...read, ...write])) {
      const objects = `${arnInFindings(this.bucket)}/${objectPrefixes[prefix]}*`;
      acknowledgeWildcard(
        fn.role ?? fn,
        objects,
        "An object's name has the id of its run, so there is no list of them.",
      );
    }
  }

  /**
   * The function may list the bucket. Not narrowed to a prefix: a condition on it would also turn S3's answer for a
   * missing object, which is asked for without one, from "not found" into "access denied".
   */
  grantList(fn: Function): void {
    grant(
      fn,
      { BUCKET_NAME: this.bucket.bucketName },
      { actions: ["s3:ListBucket"], resources: [this.bucket.bucketArn] },
    );
  }
}

function key(name: string) {
  return { name, type: AttributeType.STRING };
}
