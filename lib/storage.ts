import { Duration, RemovalPolicy, Validations } from "aws-cdk-lib";
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { PolicyStatementProps } from "aws-cdk-lib/aws-iam";
import type { Function } from "aws-cdk-lib/aws-lambda";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import { Construct, type IConstruct } from "constructs";
import {
  listIndex,
  objectPrefixes,
  partitionKey,
  runningIndex,
  sortKey,
  ttlAttribute,
} from "../src/platform/aws/table.ts";
import { acknowledgeWildcard, arnInFindings, grant } from "./service-function.ts";
import type { Settings } from "./settings.ts";

type ItemKind = "KEY" | "AGENT" | "ORG" | "RUN" | "ORGS" | "AGENTS" | "KEYS" | "RUNS" | "RUNNING";
type ItemAction = "GetItem" | "Query" | "PutItem" | "UpdateItem" | "ConditionCheckItem" | "DeleteItem";
type Prefix = keyof typeof objectPrefixes;

/** Kinds: what the partition key begins with (`stores/aws/table.ts`), the index's where an `index` is named. */
export interface ItemRight {
  kinds: ItemKind[];
  actions: ItemAction[];
  index?: string;
}

const objectActions = { read: "s3:GetObject", write: "s3:PutObject", remove: "s3:DeleteObject" };

/** Which objects, by their prefix in the bucket. */
export type ObjectRights = { [Right in keyof typeof objectActions]?: Prefix[] };

/** Everything that is kept: one table and one bucket. */
export class Storage extends Construct {
  readonly table: TableV2;
  readonly bucket: Bucket;
  readonly #retentionDays: number;

  constructor(scope: Construct, id: string, { removal, retentionDays }: Settings) {
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
      lifecycleRules: [
        { id: "abandoned-uploads", abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // A day later than the run itself, which is what its readers ask for first.
        ...Object.entries(objectPrefixes).map(([name, prefix]) => ({
          id: `expired-${name}`,
          prefix,
          expiration: Duration.days(retentionDays + 1),
        })),
      ],
      removalPolicy,
      autoDeleteObjects: !keep,
    });
    Validations.of(this.bucket).acknowledge({
      id: "AwsSolutions-S1",
      reason: "Only this stack's functions reach the bucket, each with a role of its own; CloudTrail tells them apart.",
    });
  }

  /** The function may do this with items of these kinds, and with no other item. */
  grantItems(fn: Function, rights: ItemRight[]): void {
    const adds = rights.some(({ kinds, actions }) => kinds.includes("RUN") && actions.includes("PutItem"));
    const expiry = adds ? { RETENTION_DAYS: String(this.#retentionDays) } : {};
    grant(fn, { TABLE_NAME: this.table.tableName, ...expiry }, ...this.itemStatements(rights));
  }

  /** The function may read or write objects below these prefixes, and no others. */
  grantObjects(fn: Function, rights: ObjectRights): void {
    grant(fn, { BUCKET_NAME: this.bucket.bucketName }, ...this.objectStatements(rights));
    this.acknowledgeObjects(fn.role ?? fn, rights);
  }

  /**
   * The function may list the bucket. Not narrowed to a prefix: a condition on it would also turn S3's answer for a
   * missing object, which is asked for without one, from "not found" into "access denied".
   */
  grantList(fn: Function): void {
    grant(fn, { BUCKET_NAME: this.bucket.bucketName }, this.listStatement());
  }

  /** One statement for each right. A Query names the kinds of its index's partitions where it is one of an index. */
  itemStatements(rights: ItemRight[]): PolicyStatementProps[] {
    return rights.map(({ kinds, actions, index }) => ({
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [index === undefined ? this.table.tableArn : `${this.table.tableArn}/index/${index}`],
      conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": kinds.map(partitionsOf) } },
    }));
  }

  objectStatements(rights: ObjectRights): PolicyStatementProps[] {
    return Object.entries(objectActions).flatMap(([right, action]) => {
      const prefixes = rights[right as keyof ObjectRights] ?? [];
      const resources = prefixes.map((prefix) => this.bucket.arnForObjects(`${objectPrefixes[prefix]}*`));
      return resources.length > 0 ? [{ actions: [action], resources }] : [];
    });
  }

  listStatement(): PolicyStatementProps {
    return { actions: ["s3:ListBucket"], resources: [this.bucket.bucketArn] };
  }

  /** Answers cdk-nag for the wildcards that `objectStatements` have put into a policy of `owner`. */
  acknowledgeObjects(owner: IConstruct, rights: ObjectRights): void {
    for (const prefix of new Set<Prefix>(Object.values(rights).flat())) {
      const objects = `${arnInFindings(this.bucket)}/${objectPrefixes[prefix]}*`;
      acknowledgeWildcard(owner, objects, "An object's name has the id of its run, so there is no list of them.");
    }
  }
}

/** `ORGS` and `AGENTS` are whole partitions; any other kind goes on with `#` and an id. */
function partitionsOf(kind: ItemKind): string {
  return kind === "ORGS" || kind === "AGENTS" ? kind : `${kind}#*`;
}

function key(name: string) {
  return { name, type: AttributeType.STRING };
}
