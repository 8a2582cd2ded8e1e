import { createOutbound } from '../../net/index.ts';
import { S3Store } from '../../net/objects/index.ts';
import { inDataDir, type Environment, type RunsConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { BucketContents } from './bucket-contents.ts';
import { FolderContents, type ContentStore } from './content-store.ts';

/** Longest time for a part of 8 MiB. */
const TIMEOUT_MS = 60_000;

/** Folder of the objects, under the prefix. */
const FOLDER = 'artifacts';

/** Opens the store of artefacts; a change of the setting takes effect at the next start. Throws for a bucket whose address or keys are missing. */
export function openContents({ clock, nodeId }: Pick<RunsEnvironment, 'clock' | 'nodeId'>, config: RunsConfig, variables: Environment): ContentStore {
  const { dir, store, s3 } = config.artifacts;
  const folder = inDataDir(config, dir);
  if (store === 'folder') return new FolderContents(folder, nodeId);
  const keyOf = (name: string): string => {
    const value = variables[name];
    if (value) return value;
    throw new Error(`artifacts.s3: the variable ${name} is not set`);
  };
  const settings = { endpoint: s3.endpoint, bucket: s3.bucket, region: s3.region, prefix: s3.prefix, useTLS: s3.use_tls, accessKey: keyOf(s3.access_key_env), secretKey: keyOf(s3.secret_key_env) };
  // The address comes from the configuration, which may name any host.
  const outbound = createOutbound({ allowPrivate: 'true', allowlist: [] });
  return new BucketContents(folder, nodeId, { bucket: new S3Store(settings, { outbound, folder: FOLDER, timeoutMs: TIMEOUT_MS }), clock, outbound });
}
