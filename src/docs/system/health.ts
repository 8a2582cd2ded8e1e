import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Health, Persistence, Readiness as ReadinessAnswer } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Sql } from '../../storage/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Readiness } from '../view/index.ts';
import type { McpDescription } from './server-config.ts';

/**
 * The state of the service (contract section 4). Throws `unavailable` with
 * `{status: "unhealthy", mode}` in its body when the database does not answer.
 */
export async function checkHealth(
  { sql, settings, replication }: Pick<DocsEnvironment, 'sql' | 'settings' | 'replication'>,
  mcp?: McpDescription,
): Promise<Health> {
  const { mode } = settings;
  if (!(await sql.healthy())) {
    throw new ServiceError('unavailable', 'the database is unreachable', { body: { status: 'unhealthy', mode } });
  }
  const persistence = withReplication(await describePersistence(sql), replication?.warning);
  // A server that accepts no writes makes no promise about them.
  const durable = mode !== 'read' && sql.info.durable && persistence.writable && !persistence.ephemeral;
  return { status: 'healthy', mode, persistence, durable, mcpSessions: mcp?.sessions() };
}

function withReplication(persistence: Health['persistence'], warning: string | undefined): Health['persistence'] {
  if (warning === undefined) return persistence;
  return { ...persistence, warnings: [...persistence.warnings, { code: 'REPLICATION_LAG', detail: warning }] };
}

/**
 * Whether every view serves. Throws `index_loading` with the views in its body when one does not, and
 * `unavailable` when the database does not answer.
 */
export async function checkReadiness({ sql }: Pick<DocsEnvironment, 'sql'>,
  readiness: Pick<Readiness, 'states' | 'isReady'>): Promise<ReadinessAnswer>
{
  const healthy = await sql.healthy();
  const { states: views, isReady } = readiness;
  if (!healthy)
    throw new ServiceError('unavailable', 'the database is unreachable', { body: { status: 'unhealthy', views } });
  if (isReady) return { status: 'ready', views };
  const names = views.filter(({ ready }) => !ready).map(({ name }) => name);
  throw new ServiceError('index_loading', `the ${names.join(' and ')} indexes are not ready`, {
    headers: { 'Retry-After': '1' },
    body: { status: 'loading', views },
  });
}

/** `LOW_DISK` warns below this free space, which backups, restores and the write-ahead log need. */
export const LOW_DISK_BYTES = 512 * 2 ** 20;

/** Names of file systems by the magic number that `statfs(2)` returns. */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  0x01021994: 'tmpfs',
  0x858458f6: 'ramfs',
  0x794c7630: 'overlay',
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x2fc12fc1: 'zfs',
  0xf2f52010: 'f2fs',
  0xca451a4e: 'bcachefs',
  0x6969: 'nfs',
  0xff534d42: 'cifs',
  0xfe534d42: 'smb2',
  0x01021997: '9p',
  0x65735546: 'fuse',
  0x5346544e: 'ntfs',
  0x2011bab0: 'exfat',
  0x4d44: 'vfat',
};

/** Their content is lost with the machine or, for `overlay`, with the container. */
const EPHEMERAL: ReadonlySet<string> = new Set(['tmpfs', 'ramfs', 'overlay']);

/** Where the database is stored and what puts it at risk. Never rejects: an undeterminable value is `unknown`. */
async function describePersistence({ info }: Pick<Sql, 'info'>): Promise<Persistence> {
  if (info.path === ':memory:') {
    return withWarnings({ path: info.path, filesystem: 'memory', ephemeral: true, writable: true, freeBytes: null });
  }
  // The disk belongs to another server, which reports it to its own operators.
  if (info.driver === 'postgres')
    return withWarnings({
      path: info.path,
      filesystem: 'postgres',
      ephemeral: !info.durable,
      writable: true,
      freeBytes: null,
    });
  const folder = dirname(info.path);
  const [found, writable] = await Promise.all([statfs(folder).catch(() => undefined), isWritable(folder, info.path)]);
  const filesystem = (found && FILE_SYSTEMS[found.type >>> 0]) ?? 'unknown';
  return withWarnings({
    path: info.path,
    filesystem,
    ephemeral: EPHEMERAL.has(filesystem),
    writable,
    freeBytes: found ? Math.min(found.bavail * found.bsize, Number.MAX_SAFE_INTEGER) : null,
  });
}

/** SQLite creates files beside the database, so the folder counts too. */
async function isWritable(...paths: string[]): Promise<boolean> {
  const results = await Promise.allSettled(paths.map((path) => access(path, constants.W_OK)));
  return results.every(({ status }) => status === 'fulfilled');
}

export function withWarnings(state: Omit<Persistence, 'warnings'>): Persistence {
  const warnings: Persistence['warnings'] = [];
  if (state.ephemeral)
    warnings.push({
      code: 'EPHEMERAL_FS',
      detail: `${state.filesystem} does not outlive the machine or container: the data may be lost on restart`,
    });
  if (!state.writable) warnings.push({ code: 'READ_ONLY_DIR', detail: 'the database or its folder cannot be written' });
  if (state.freeBytes !== null && state.freeBytes < LOW_DISK_BYTES) {
    warnings.push({
      code: 'LOW_DISK',
      detail: `${Math.floor(state.freeBytes / 2 ** 20)} MiB are free, fewer than ${LOW_DISK_BYTES / 2 ** 20}`,
    });
  }
  return { ...state, warnings };
}
