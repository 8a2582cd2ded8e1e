import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Context, Handlers } from '../../operations/index.ts';
import type { Audit } from '../audit/index.ts';
import { actorOf } from '../auth/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { decodeCursor, pageSize, toPage } from '../pages/index.ts';
import { type CachePosition, type CacheRow, listCaches } from './cache-rows.ts';
import type { Caches } from './caches.ts';

type CacheHandlers = Required<Pick<Handlers<Operations>, 'listCaches' | 'deleteCaches'>>;

interface CacheHandlerOptions {
  readonly env: Pick<RunsEnvironment, 'sql' | 'config'>;
  readonly audit: Audit;
  /** Undefined if the service keeps none. */
  readonly caches: Pick<Caches, 'delete'> | undefined;
}

/** In a cursor a key is in base64url, because it may hold any character. */
const KEY = /^[A-Za-z0-9_-]+$/;

export function createCacheHandlers({ env: { sql, config }, audit, caches }: CacheHandlerOptions): CacheHandlers {
  /** Throws `project_not_found`, also for a project that is not the caller's. */
  const requireProject = (id: string, permission: 'read' | 'write', { identity }: Context): void => {
    if (config.current().config.projects.some((project) => project.id === id) && identity.may(permission, id)) return;
    throw new ServiceError('project_not_found', `there is no project ${id.slice(0, 80).toWellFormed()}`);
  };
  return {
    async listCaches({ id, prefix, limit, before }, context) {
      requireProject(id, 'read', context);
      if (caches === undefined) return { data: [], next_cursor: null };
      const size = pageSize(limit);
      const found = await listCaches(sql, id, prefix, before === undefined ? undefined : positionOf(before), size + 1);
      const { entries, next_cursor } = toPage(found, size,
        ({ created_ms: at, key }) => ({ at, id: Buffer.from(key).toString('base64url') }));
      return { data: entries.map(present), next_cursor };
    },
    async deleteCaches({ id, key, prefix }, context) {
      requireProject(id, 'write', context);
      const which = key !== undefined && prefix === undefined
        ? { key }
        : key === undefined && prefix !== undefined
        ? { prefix }
        : undefined;
      if (which === undefined)
        throw new ServiceError('invalid_input',
          'give either key or prefix; an empty prefix means all caches of the project');
      const data = await caches?.delete(id, which,
        (tx, count) => audit.record(tx, actorOf(context), 'delete', id, { caches: count, ...which }));
      return { data: data ?? { deleted: 0, bytes: 0 } };
    },
  };
}

function positionOf(before: string): CachePosition {
  const { at, id } = decodeCursor(before, KEY);
  return { createdMs: at, key: Buffer.from(id, 'base64url').toString() };
}

const present = ({ key, size, created_ms: created, used_ms: used, hits }: CacheRow) => ({
  key,
  size,
  created_at: Math.floor(created / 1000),
  used_at: Math.floor(used / 1000),
  hits,
});
