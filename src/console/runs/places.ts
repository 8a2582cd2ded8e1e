import { listRuns } from '../../../generated/runs/sdk/sdk.gen.ts';
import { ask } from '../shared/ask.ts';
import { ago } from '../shared/format.ts';
import type { Command } from '../shared/palette.tsx';
import { href } from '../shared/router.ts';

export const runAt = (id: string): string => href(['runs', id]);

/** A line of the log of a run: its attempt and its offset there, such as `1-41`. */
export const lineAt = (id: string, line: string): string => href(['runs', id], { line });

/**
 * The end of an id, by which the command line finds a run, too: the beginning is the time, which runs of a minute
 * share.
 */
export const shortId = (id: string): string => id.slice(-8);

/** The page of a project. */
export const projectAt = (id: string): string => href(['projects', id]);

/** The results of a test of a project over its runs. */
export const testAt = (project: string, test: string): string => href(['projects', project], { tab: 'tests', test });

/** The deliveries that match all filters. */
export const deliveriesOf = (filters: { readonly project?: string; readonly state?: string }): string =>
  href(['deliveries'], filters);

/** The list of the runs that match all filters. */
export const runsOf = (
  filters: { readonly project?: string; readonly schedule?: string; readonly by?: string },
): string => href([], filters);

const LATEST = 50;

/** The latest runs whose task, project, state or id contains the typed text. */
export async function findCommands(typed: string): Promise<readonly Command[]> {
  const { data } = await ask(listRuns({ query: { limit: LATEST } }));
  const words = typed.toLowerCase().split(/\s+/);
  const runs = data.filter(({ id, task, project_id, state }) =>
    words.every((word) => `${task} ${project_id} ${state} ${id}`.toLowerCase().includes(word))
  );
  return runs.map(({ id, task, kind, project_id, state, created_at }) => ({
    label: `${task === '' ? kind : task} in ${project_id}`,
    hint: `${state} · ${ago(created_at)} · ${shortId(id)}`,
    run: () => void (location.hash = runAt(id)),
  }));
}
