import type { Identity, OperationSpec } from '../../operations/index.ts';
import type { OidcConfig, TokenConfig } from '../config/index.ts';

export type Scope = TokenConfig['scopes'][number];

/** What a caller may do in some projects; each grant adds to the others. */
export interface Grant {
  readonly scopes: readonly Scope[];
  /** Null: all projects, and what belongs to no project. */
  readonly projects: readonly string[] | null;
}

/** The identity of a caller who has shown a credential. */
export interface HolderIdentity extends Identity {
  readonly grants: readonly Grant[];
  /** When the credential itself ends, in milliseconds since 1970; absent for never. */
  readonly endsAt?: number | undefined;
}

/** A person whom an issuer has authenticated. */
export interface Person {
  /** As in the audit log: `user:<name>`. */
  readonly username: string;
  /** The issuer's `sub`. */
  readonly subject: string;
  readonly groups: readonly string[];
}

const SCOPES_OF: Readonly<Record<OidcConfig['roles'][number]['role'], readonly Scope[]>> = {
  viewer: ['read'],
  submitter: ['read', 'submit'],
  approver: ['read', 'approve'],
  admin: ['admin'],
};

/** An administrator of some projects has all scopes in them. */
const SCOPES_OF_PROJECT_ADMIN: readonly Scope[] = ['read', 'submit', 'approve', 'admin'];

/** What a person may do, by the roles of the configuration that name the person or a group of the person. */
export function grantsOf({ username, subject, groups }: Person, roles: OidcConfig['roles']): Grant[] {
  const names = new Set([username.slice('user:'.length), `sub:${subject}`]);
  const own = new Set(groups);
  return roles.filter((role) =>
    role.people.some((name) => names.has(name)) || role.groups.some((group) => own.has(group))
  ).map(({ role, projects }) => ({
    scopes: role === 'admin' && projects !== null ? SCOPES_OF_PROJECT_ADMIN : SCOPES_OF[role],
    projects,
  }));
}

/** The scope that an operation requires; undefined for one that every caller with a credential may call. */
export function scopeOf({ access, scope }: OperationSpec): Scope | undefined {
  return access === 'user' ? undefined : scope ?? (access === 'read' ? 'read' : 'admin');
}

/** The grants that count for an operation. `admin` includes all other scopes. */
export function grantsFor(operation: OperationSpec, grants: readonly Grant[]): readonly Grant[] {
  const needed = scopeOf(operation);
  return grants.filter(({ scopes, projects }) => {
    if (needed === undefined) return true;
    // What else takes the scope `admin` is of the service.
    if (needed === 'admin' && projects !== null) return scopes.includes('admin') && operation.projectAdmin === true;
    return scopes.includes(needed) || scopes.includes('admin');
  });
}

/** Whether one of the grants is for a project; an empty id stands for all projects. */
export function coversProject(grants: readonly Grant[], project: string): boolean {
  return grants.some(({ projects }) => projects === null || projects.includes(project));
}
