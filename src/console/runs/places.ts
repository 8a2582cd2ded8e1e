import { href } from '../shared/router.ts';

export const runAt = (id: string): string => href(['runs', id]);

/**
 * The end of an id, by which the command line finds a run, too: the beginning is the time, which runs of a minute
 * share.
 */
export const shortId = (id: string): string => id.slice(-8);

/** The list of the runs that match all filters. */
export const runsOf = (
  filters: { readonly project?: string; readonly schedule?: string; readonly by?: string },
): string => href([], filters);
