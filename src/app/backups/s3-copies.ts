import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { S3mini } from 's3mini';
import { PART_BYTES, putInParts, readPart } from '../../net/objects.ts';
import type { BackupCopies } from './backup-schedule.ts';

interface S3CopiesOptions {
  /** URL of the service, the bucket and a folder in it: `https://s3.example.org/our-backups/quire`. */
  readonly url: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Where the backups are on this machine. */
  readonly folder: string;
  /**
   * The files of a backup, by their paths within it, with `/`; a backup that is a single file has one with an empty
   * name.
   */
  readonly filesOf: (name: string) => Promise<readonly string[]>;
}

/** Signs for the region that most services that are not Amazon's take any request for. */
const DEFAULT_REGION = 'us-east-1';

/**
 * Copies of backups in a bucket of an S3-compatible service. Each copy is read back and compared by its SHA-256. Files
 * pass through memory in parts of 8 MiB. Bodies of collections that are not encrypted are readable there.
 */
export function s3Copies({ url, region, accessKey, secretKey, folder, filesOf }: S3CopiesOptions): BackupCopies {
  const { origin, pathname } = new URL(url);
  const [bucket, ...rest] = pathname.split('/').filter((part) => part !== '');
  const prefix = rest.map((part) => `${decodeURIComponent(part)}/`).join('');
  // Following a redirect would send the signature to another service.
  const client = new S3mini({
    endpoint: `${origin}/${bucket}`,
    region: region || DEFAULT_REGION,
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    fetch: (input, init) => fetch(input, { ...init, redirect: 'error' }),
  });
  const keyOf = (name: string, file: string): string => `${prefix}${name}${file === '' ? '' : `/${file}`}`;
  const keys = (): Promise<string[]> => listKeys(client, prefix);
  /** Returns the backup that an object belongs to. */
  const nameOf = (key: string): string => key.slice(prefix.length).split('/')[0]!;
  return {
    async put(name) {
      for (const file of await filesOf(name)) {
        const sent = await upload(client, keyOf(name, file), join(folder, name, file));
        const found = await hashOf(client, keyOf(name, file), sent.bytes);
        if (found !== sent.sha256) throw new Error(`the copy of ${name} in the bucket is not what was sent`);
      }
    },
    list: async () => [...new Set((await keys()).map(nameOf))],
    async remove(name) {
      for (const key of await keys()) if (nameOf(key) === name) await client.deleteObject(key);
    },
  };
}

async function listKeys(client: S3mini, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for (let from: string | undefined;;) {
    const page = await client.listObjectsPaged('/', prefix, 1000, from);
    if (page == null) throw new Error('there is no such bucket');
    keys.push(...(page.objects ?? []).map(({ Key: key }) => String(key)).filter((key) => key.startsWith(prefix)));
    from = page.nextContinuationToken;
    if (from === undefined) return keys;
  }
}

async function upload(client: S3mini, key: string,
  path: string): Promise<{ readonly sha256: string; readonly bytes: number }>
{
  const file = await open(path);
  const hash = createHash('sha256');
  try {
    const { size } = await file.stat();
    await putInParts(client, key, size, async (at, length) => {
      const part = await readPart(file, at, length);
      hash.update(part);
      return part;
    });
    return { sha256: hash.digest('hex'), bytes: size };
  } finally {
    await file.close();
  }
}

async function hashOf(client: S3mini, key: string, bytes: number): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < bytes; from += PART_BYTES) {
    const answer = await client.getObjectRaw(key, false, from, Math.min(from + PART_BYTES, bytes));
    hash.update(new Uint8Array(await answer.arrayBuffer()));
  }
  return hash.digest('hex');
}
