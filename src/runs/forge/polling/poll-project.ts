import { createHash } from 'node:crypto';
import { isGitRef } from '../../../lib/git-ref.ts';
import type { Sql } from '../../../storage/index.ts';
import type { ProjectConfig } from '../../config/index.ts';
import { hasPending, insertDelivery, laneOf } from '../deliveries/rows.ts';
import { namesOf } from '../kinds/payload.ts';
import type { ForgeEvent } from '../port.ts';
import { handledRefs, removeRefs, storeRefs } from '../processing/refs.ts';
import type { Repositories } from '../repository/index.ts';

/** Most branches and tags of a project that is polled. */
const MAX_REFS = 20_000;

export interface PollDeps {
  readonly sql: Sql;
  readonly repositories: Pick<Repositories, 'refs'>;
  readonly nextId: () => string;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Marks a project whose refs are known, so that its first branch is a new one. */
const POLLED = '';

/**
 * Asks git for the branches and tags of a project, and records a delivery for each that has changed since; the first
 * time they are only remembered. Returns how many deliveries it has recorded. Rejects with a `GitFailure`.
 */
export async function pollProject(project: ProjectConfig, { sql, repositories, nextId, now }: PollDeps,
  signal: AbortSignal): Promise<number>
{
  const refs = await repositories.refs(project, undefined, signal);
  const known = await handledRefs(sql, project.id);
  const found = [...refs].filter(([ref]) => isGitRef(ref)).slice(0, MAX_REFS);
  if (!known.has(POLLED)) {
    const first = found.filter(([ref]) => !known.has(ref)).map(([ref, commit]) => ({ ref, commit }));
    await sql.transaction((tx) =>
      storeRefs(tx,
        [{ ref: POLLED, commit: '' }, ...first].map((each) => ({ ...each, projectId: project.id, before: '' })))
    );
    return 0;
  }
  const gone = [...known.keys()].filter((ref) => ref.startsWith('refs/') && !refs.has(ref));
  const changed = found.filter(([ref, commit]) => known.get(ref)?.commit !== commit);
  return sql.transaction(async (tx) => {
    // What was found before is handled first: then its commits are known.
    if (await hasPending(tx, laneOf('', project.id))) return 0;
    // A branch that comes back is a new one.
    await removeRefs(tx, project.id, gone);
    let count = 0;
    for (const [ref, commit] of changed) {
      const event = eventOf(project, ref, commit, known.get(ref)?.commit ?? '');
      if (event === undefined) continue;
      const deliveryId = `poll:${project.id}:${ref}:${commit}:${now()}`;
      const bodyHash = createHash('sha256').update(deliveryId).digest();
      const isNew = await insertDelivery(tx, {
        id: nextId(),
        forge: '',
        deliveryId,
        bodyHash,
        name: event.name,
        event,
        receivedAt: now(),
        state: 'pending',
        reason: null,
        projects: [project.id],
      });
      if (isNew) count += 1;
    }
    return count;
  });
}

function eventOf(project: ProjectConfig, ref: string, commit: string, before: string): ForgeEvent | undefined {
  const names = namesOf(ref);
  if (names === undefined) return undefined;
  return {
    ...names,
    action: 'pushed',
    // Polling knows the project, not what a forge calls its repository.
    repository: project.id,
    addresses: [],
    ref,
    commit,
    before,
    title: '',
    author: '',
    url: '',
  };
}
