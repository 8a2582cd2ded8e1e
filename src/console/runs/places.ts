import { href } from '../shared/router.ts';

export const runAt = (id: string): string => href(['runs', id]);

/** The list of the runs that match all filters. */
export const runsOf = (filters: { readonly project?: string; readonly schedule?: string; readonly by?: string }): string => href([], filters);
