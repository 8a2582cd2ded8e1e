import type { Queries } from '../../../storage/index.ts';
import type { ProjectConfig } from '../../config/index.ts';
import type { ForgeEvent } from '../port.ts';
import { GitFailure, type Repositories } from '../repository/index.ts';
import { type HandledRef, handledRef } from './refs.ts';

/** An event whose commit is known, or why it is outdated. */
export type Placed = { readonly event: ForgeEvent; readonly handled?: HandledRef } | { readonly outdated: string };

const ORDERED: ReadonlySet<string> = new Set(['opened', 'synchronized', 'pushed']);

/**
 * Decides whether an event is older than one that was handled before it: forges do not promise an order, and older
 * commits must not run after newer ones. An event that follows the last one of its branch is in order. Otherwise git
 * says which commit the branch has now: an event of another commit is outdated, and one of that commit counts. If git
 * cannot say, only what is known to be older is outdated.
 *
 * `isRenewed`: somebody has asked for it anew, so its order does not matter.
 */
export async function place(event: ForgeEvent, project: ProjectConfig,
  { sql, repositories, isRenewed }: { readonly sql: Queries; readonly repositories: Pick<Repositories, 'refs'>;
    readonly isRenewed: boolean }): Promise<Placed>
{
  if (!ORDERED.has(event.action) || event.ref === '' || event.commit === '') return { event };
  const isWhole = event.commit.length >= 40;
  const ref = event.pullRequest === undefined ? event.ref : `pull/${event.pullRequest.number}`;
  const last = await handledRef(sql, project.id, ref);
  const found = (commit = event.commit): Placed => ({
    event: { ...event, commit },
    handled: { projectId: project.id, ref, commit, before: last?.commit ?? event.before },
  });
  if (isRenewed && isWhole) return { event };
  if (last?.commit === event.commit) return { outdated: `the commit was handled before, as that of ${ref}` };
  if (isWhole && (last === undefined || last.commit === event.before)) return found();
  if (last?.before === event.commit) return { outdated: `${ref} has had a newer commit since` };
  const now = await tipOf(event, project, repositories);
  // Bitbucket shortens the commits of pull requests.
  if (!isWhole) return now?.startsWith(event.commit) ? found(now) : { outdated: `${event.ref} has another commit now` };
  return now === undefined || now === event.commit ? found() : { outdated: `${ref} has had a newer commit since` };
}

/** The commit of the event's ref now; undefined if git cannot say. */
async function tipOf({ ref }: ForgeEvent, project: ProjectConfig,
  repositories: Pick<Repositories, 'refs'>): Promise<string | undefined>
{
  try {
    // `ref` and the commit of an annotated tag.
    return (await repositories.refs(project, [ref, `${ref}^{}`])).get(ref);
  } catch (error) {
    if (error instanceof GitFailure) return undefined;
    throw error;
  }
}
