import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { systemTimer, type Timer } from '../../../lib/clock.ts';
import { parseObjectPlace } from '../../../lib/setting-values.ts';
import { FolderStore } from '../../../net/folder-objects.ts';
import { type ObjectStore, S3Store } from '../../../net/objects.ts';
import { SteadyStore } from '../../bodies/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { NodeClaims, soleClaims } from './claims.ts';
import { CheckpointCopies } from './copies.ts';

/** Where copies of checkpoints are. */
export interface CopiesSettings {
  /** `s3://bucket/prefix`, or the path of a folder that several machines share; empty for none. */
  readonly place: string;
  /** URL of the service of the bucket; that of Amazon in the region when it is empty. */
  readonly s3Endpoint?: string;
  /** `us-east-1` when it is empty. */
  readonly s3Region?: string;
  readonly s3AccessKey?: string;
  readonly s3SecretKey?: string;
}

const FOLDER = 'quire-checkpoints';

/** Most milliseconds of one request; a segment has 4 MiB. */
const TIMEOUT_MS = 20_000;

type Environment = Pick<DocsEnvironment, 'sql' | 'clock' | 'log' | 'settings' | 'relay'>;

/**
 * The copies of the checkpoints of this process; undefined without a place for them, for a database in memory, and in a
 * process that only reads the files of another. Databases of a server have a folder each, by their identity.
 */
export function createCheckpointCopies({ sql, clock, log, settings, relay }: Environment, timer: Timer = systemTimer):
  | CheckpointCopies
  | undefined
{
  const { checkpoints, mode } = settings;
  const { driver, path, readOnly, ownFiles, identity } = sql.info;
  const hasFiles = ownFiles !== undefined || (driver === 'node:sqlite' && path !== ':memory:');
  if (checkpoints === undefined || relay !== undefined || !hasFiles) return undefined;
  const closing = new AbortController();
  const place = storeOf(checkpoints, identity === undefined ? 'sqlite' : shortHash(identity), closing.signal);
  if (place === undefined) return undefined;
  const store = new SteadyStore(place, {
    clock,
    timer,
    log,
    name: 'the place of checkpoints (SVC_CHECKPOINTS)',
    toError: (failure) => failure,
  });
  const claims = sql.peers === undefined ? soleClaims() : new NodeClaims(sql, sql.peers);
  return new CheckpointCopies({
    store,
    claims,
    sql,
    clock,
    timer,
    log,
    isWriter: mode !== 'read' && readOnly !== true,
    close: () => closing.abort(),
  });
}

function storeOf({ place, s3Endpoint = '', s3Region = '', s3AccessKey, s3SecretKey }: CopiesSettings, database: string,
  closing: AbortSignal): ObjectStore | undefined
{
  const parsed = parseObjectPlace(place);
  if (parsed === undefined) return undefined;
  if ('folder' in parsed) return new FolderStore(join(resolve(parsed.folder), FOLDER, database));
  const endpoint = s3Endpoint || `https://s3.${s3Region || 'us-east-1'}.amazonaws.com`;
  const credentials = { accessKey: s3AccessKey ?? '', secretKey: s3SecretKey ?? '' };
  return new S3Store({ ...parsed, ...credentials, endpoint, region: s3Region }, {
    // The operator names the endpoint, so it is not checked as addresses of users are.
    outbound: {
      fetch: ({ timeoutMs = TIMEOUT_MS } = {}) => (input, init) =>
        fetch(input, { ...init, signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]) }),
    },
    folder: `${FOLDER}/${database}`,
    timeoutMs: TIMEOUT_MS,
    paths: true,
  });
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
