import { href } from '../shared/router.ts';

export const runAt = (id: string): string => href(['runs', id]);
