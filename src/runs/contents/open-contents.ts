import type { Timer } from '../../lib/clock.ts';
import { createOutbound } from '../../net/index.ts';
import { S3Store } from '../../net/objects.ts';
import { type Environment, inDataDir, type RunsConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { BucketContents } from './bucket-contents.ts';
import { type ContentStore, FolderContents } from './content-store.ts';

/** Longest time for a part of 8 MiB. */
const TIMEOUT_MS = 60_000;
/**
 * Objects are removed under a lock of their name, in a transaction that PostgreSQL rolls back once it was idle for 10
 * s: a request that was still in progress then could remove the bytes of a file that another server has added
 * meanwhile.
 */
const REMOVE_TIMEOUT_MS = 5000;

/**
 * Opens the store that a section of the configuration describes; a change of the setting takes effect at the next
 * start. Objects in a bucket are in a folder with the name of the section, under the prefix; `timer` measures
 * time-outs. Throws for a bucket whose address or keys are missing.
 */
export function openContents({ clock, nodeId }: Pick<RunsEnvironment, 'clock' | 'nodeId'>, config: RunsConfig,
  section: 'artifacts' | 'caches', variables: Environment, timer?: Timer): ContentStore
{
  const { dir, store, s3 } = config[section];
  const folder = inDataDir(config, dir);
  if (store !== 's3') return new FolderContents(folder, nodeId);
  const keyOf = (name: string): string => {
    const value = variables[name];
    if (value) return value;
    throw new Error(`${section}.s3: the variable ${name} is not set`);
  };
  const settings = {
    endpoint: s3.endpoint,
    bucket: s3.bucket,
    region: s3.region,
    prefix: s3.prefix,
    useTLS: s3.use_tls,
    accessKey: keyOf(s3.access_key_env),
    secretKey: keyOf(s3.secret_key_env),
  };
  // The address comes from the configuration, which may name any host.
  const outbound = createOutbound({ allowPrivate: 'true', allowlist: [] }, timer === undefined ? {} : { timer });
  return new BucketContents(folder, nodeId, {
    bucket: new S3Store(settings, {
      outbound,
      folder: section,
      timeoutMs: TIMEOUT_MS,
      removeTimeoutMs: REMOVE_TIMEOUT_MS,
    }),
    clock,
    outbound,
  });
}
