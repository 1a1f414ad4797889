import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";

/** A bucket: flat keys and bytes. */
export interface Objects {
  put(key: string, content: Uint8Array): Promise<void>;
  /** `bytes`: only this many from the start, at least 1. */
  get(key: string, bytes?: number): Promise<Uint8Array | undefined>;
  /** Copies an object within the bucket. False: there is no object `from`. Needs permission to list. */
  copy(from: string, to: string): Promise<boolean>;
  /** `size` in bytes. */
  list(prefix: string): Promise<{ key: string; size: number }[]>;
  /** Ignores keys that do not exist. */
  remove(keys: string[]): Promise<void>;
  removeAll(prefix: string): Promise<void>;
}

/** Milliseconds. S3 copies within the bucket, at 100 MB a second or more, and an API request ends after 29 s. */
const copyTimeout = 20_000;

export function bucketObjects(s3: S3Client, bucket: string): Objects {
  async function list(prefix: string): Promise<{ key: string; size: number }[]> {
    const found = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix: prefix })) {
      found.push(...Contents.map(({ Key = "", Size = 0 }) => ({ key: Key, size: Size })));
    }
    return found;
  }

  // A request deletes up to 1,000 keys.
  async function remove(keys: string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += 1000) {
      const Objects = keys.slice(start, start + 1000).map((Key) => ({ Key }));
      const { Errors = [] } = await s3.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
      );
      const [first] = Errors;
      if (first) {
        const error = new Error(`${Errors.length} objects were not deleted; ${first.Key}: ${first.Message}`);
        error.name = first.Code ?? error.name;
        throw error;
      }
    }
  }

  return {
    list,

    async put(key, content) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: content }));
    },

    async get(key, bytes) {
      const range = bytes === undefined ? {} : { Range: `bytes=0-${bytes - 1}` };
      try {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, ...range }));
        return await Body?.transformToByteArray();
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },

    async copy(from, to) {
      // Keys consist of characters that need no encoding in the header.
      const command = new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource: `${bucket}/${from}` });
      try {
        await s3.send(command, { requestTimeout: copyTimeout });
        return true;
      } catch (error) {
        if ((error as Error).name === "NoSuchKey") return false;
        throw error;
      }
    },

    remove,

    async removeAll(prefix) {
      await remove((await list(prefix)).map(({ key }) => key));
    },
  };
}

/** An S3 client, with path-style addresses when it has its own endpoint. */
export function newS3Client(config: S3ClientConfig): S3Client {
  return new S3Client({
    ...config,
    ...(config.endpoint === undefined ? {} : { forcePathStyle: true }),
    disableS3ExpressSessionAuth: true,
    requestChecksumCalculation: "WHEN_SUPPORTED",
    responseChecksumValidation: "WHEN_SUPPORTED",
    sigv4aSigningRegionSet: [],
    useArnRegion: false,
  });
}
