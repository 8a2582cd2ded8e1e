import { type Operations, operations } from '../../../../generated/docs/operations.ts';
import type { AccessDecision, EffectivePermission } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { authorize, type Handlers, type OperationSpec, type Permission } from '../../../operations/index.ts';
import type { Account, Accounts } from '../accounts.ts';
import { identityByToken } from '../authenticator.ts';
import { ALL_COLLECTIONS, Grants, listGrantsOf, type SourcedGrant } from '../grants.ts';
import { type AccessStore, notFound } from '../write.ts';

const TABLE = operations as Readonly<Record<string, OperationSpec>>;

/** Explains why a user may or may not do something. The pipeline makes the decision; this function describes it. */
export function explainHandlers(
  { sql, accounts }: Pick<AccessStore, 'sql'> & { readonly accounts: Accounts },
): Required<Pick<Handlers<Operations>, 'explainAccess'>> {
  return {
    async explainAccess({ username, operation, collection }) {
      const account = await accounts.account(username);
      if (account === undefined) throw notFound(`user ${username}`);
      const grants = await listGrantsOf(sql, username);
      const spec = operation === undefined ? undefined : requireOperation(operation);
      return {
        username,
        disabled: account.disabled,
        admin: account.admin,
        permissions: effective(grants),
        decision: spec && decide(account, grants, spec, collection),
      };
    },
  };
}

function requireOperation(id: string): OperationSpec {
  if (!Object.hasOwn(TABLE, id))
    throw new ServiceError('invalid_argument',
      `operation must be the id of an operation, as /v1/endpoints lists them, got "${id}"`);
  return TABLE[id]!;
}

function effective(grants: readonly SourcedGrant[]): EffectivePermission[] {
  return [...Map.groupBy(grants, (grant) => grant.collection)].map(([collection, sources]) => ({
    collection,
    read: sources.some(({ read }) => read),
    write: sources.some(({ write }) => write),
    admin: sources.some(({ admin }) => admin),
    sources: sources.map(({ kind, name, group, read, write, admin }) => ({
      kind,
      name,
      group: group || undefined,
      read,
      write,
      admin,
    })),
  }));
}

function decide(account: Account, grants: readonly SourcedGrant[], spec: OperationSpec,
  collection = ''): AccessDecision
{
  const operation = spec.id;
  if (spec.access === 'public') return { operation, allowed: true, reason: 'the operation needs no credential' };
  if (account.disabled) return { operation, allowed: false, reason: 'the user is disabled' };
  const input = inputFor(spec, collection);
  try {
    authorize(spec, identityByToken(account, 0), input);
    return { operation, allowed: true, reason: whyAllowed(account, grants, spec, input) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { operation, allowed: false, reason: error.message };
  }
}

/** An input that has the name of the collection in every field in which the operation takes one. */
function inputFor({ collections = [] }: OperationSpec, collection: string): Record<string, string> {
  return Object.fromEntries(collections.filter((field) => !field.startsWith('_')).map((field) => [field, collection]));
}

function whyAllowed({ admin, username }: Account, grants: readonly SourcedGrant[], spec: OperationSpec,
  input: Readonly<Record<string, string>>): string
{
  const administering = grants.filter((grant) => grant.collection === ALL_COLLECTIONS && grant.admin);
  if (admin)
    return `${username} is an administrator${
      administering.length > 0 ? ` by ${administering.map(nameOf).join(', ')}` : ''
    }`;
  const permission: Permission = spec.access === 'user' ? 'read' : spec.access as Permission;
  const names = [...(spec.collections ?? []).filter((field) => field.startsWith('_')),
    ...Object.values(input).filter((name) => name !== '')];
  if (names.length === 0) return 'every user may call it';
  return [...new Set(names)].map((name) =>
    `${permission} on ${name} is granted by ${grantsFor(grants, permission, name).map(nameOf).join(', ')}`
  ).join('; ');
}

/** The entries that count for a collection: its own if there are any, otherwise those of `*`. */
function grantsFor(grants: readonly SourcedGrant[], permission: Permission, name: string): SourcedGrant[] {
  return grants.filter((grant) =>
    grant[permission] && new Grants(grants).entryFor(name)?.collection === grant.collection
  );
}

function nameOf({ kind, name, group, collection }: SourcedGrant): string {
  return `${kind} ${name}${group === '' ? '' : ` of group ${group}`}${collection === ALL_COLLECTIONS ? ' on *' : ''}`;
}
