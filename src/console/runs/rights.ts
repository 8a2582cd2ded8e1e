import type { Grant } from '../../../generated/runs/sdk/types.gen.ts';
import { caller } from './caller.ts';

type Scope = Grant['scopes'][number];

/**
 * The scope that each operation behind a button or a page takes. `of: service`: administrators of some projects may not
 * call it. A test compares this with the specification.
 */
export const NEEDS = {
  enqueueRun: { scope: 'submit' },
  cancelRun: { scope: 'submit' },
  retryRun: { scope: 'submit' },
  rerunRun: { scope: 'submit' },
  approveRun: { scope: 'approve' },
  rejectRun: { scope: 'approve' },
  runSchedule: { scope: 'submit' },
  pauseSchedule: { scope: 'admin' },
  resumeSchedule: { scope: 'admin' },
  getProjectForge: { scope: 'admin' },
  drainShip: { scope: 'admin', of: 'service' },
  undrainShip: { scope: 'admin', of: 'service' },
  revokeShip: { scope: 'admin', of: 'service' },
  deleteShip: { scope: 'admin', of: 'service' },
  createJoinToken: { scope: 'admin', of: 'service' },
  listForges: { scope: 'admin', of: 'service' },
  listForgeDeliveries: { scope: 'admin', of: 'service' },
  redeliverForgeEvent: { scope: 'admin', of: 'service' },
  listNotifications: { scope: 'admin', of: 'service' },
  redeliverNotifications: { scope: 'admin', of: 'service' },
  listAudit: { scope: 'admin', of: 'service' },
} as const satisfies Readonly<Record<string, { readonly scope: Scope; readonly of?: 'service' }>>;

export type Guarded = keyof typeof NEEDS;

/**
 * Whether grants permit an operation, in one project or, without one, in any. The service decides; this only keeps what
 * it would refuse from being offered.
 */
export function permits(grants: readonly Grant[], operation: Guarded, project?: string): boolean {
  const { scope, of }: { readonly scope: Scope; readonly of?: 'service' } = NEEDS[operation];
  return grants.some(({ scopes, projects }) =>
    (scopes.includes(scope) || scopes.includes('admin')) && (of === undefined || projects === null) &&
    (project === undefined || projects === null || projects.includes(project))
  );
}

/** Whether the caller may do something. Everything is offered to somebody who is not signed in, who is asked then. */
export function may(operation: Guarded, project?: string): boolean {
  return caller.value === undefined || permits(caller.value.grants, operation, project);
}
