import type { AuditEvent } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { isSystemCollection } from '../../lib/system-collection.ts';
import type { Caller, Outcome, RefusedRequest } from '../../operations/index.ts';

/** An event without its time. */
export type NewAuditEvent = Omit<AuditEvent, 'ts'>;

/** Maximum length of text from clients: it must not let the log grow without bound. */
const MAX_ACTOR = 256;
const MAX_RESOURCE = 1024;
const MAX_AGENT = 512;

/** Prefixes of keys; MCP keys in the settings may have any form. */
const KEY_PREFIXES = ['svc_live_', 'mcp_'];
/** Operations that authenticate a user by their input, with the name of the action in the log. */
const SIGN_INS: Readonly<Record<string, string>> = {
  login: 'auth.login',
  redeemPasswordReset: 'auth.password_reset',
  finishOidcSignIn: 'auth.oidc',
};

/**
 * Operations that have an action of their own besides the check of the credential: the first also checks a password.
 */
const OWN_ACTIONS: Readonly<Record<string, string>> = { changePassword: 'auth.password', logout: 'auth.logout' };

/** The events of an operation: who signed in how, and what was written (contract section 5, rule 10). */
export function eventsOf(outcome: Outcome): NewAuditEvent[] {
  const { operation: { id, effect } } = outcome;
  const events: NewAuditEvent[] = [];
  const action = SIGN_INS[id];
  const checked = action === undefined ? checkEvent(outcome) : loginEvent(outcome, action);
  if (checked !== undefined) events.push(checked);
  const own = OWN_ACTIONS[id];
  if (own !== undefined && outcome.identity !== undefined)
    events.push(event(outcome, own, outcome.identity.username, outcome.error === undefined));
  if (effect === 'write') events.push(writeEvent(outcome));
  return events;
}

/** Failures among the results of `eventsOf` that count as an attempt to gain access. */
export function isAuthFailure({ action, result }: NewAuditEvent, { error }: Outcome): boolean {
  return result === 'fail' && action.startsWith('auth.') && isRefusal(error);
}

function loginEvent(outcome: Outcome, action: string): NewAuditEvent {
  return event(outcome, action, outcome.actor ?? claimedBy(outcome.input), outcome.error === undefined);
}

/** Undefined if no authentication was needed or attempted. */
function checkEvent(outcome: Outcome): NewAuditEvent | undefined {
  const { operation: { access }, identity, caller, error } = outcome;
  if (access === 'public') return undefined;
  if (identity === undefined) {
    // The access mode refused the request earlier, or the operation is hidden.
    if (!isRefusal(error)) return undefined;
    return event(outcome, caller.credential === undefined ? 'auth.missing' : `auth.${kindOf(caller.credential)}`, '',
      false);
  }
  if (identity.by === 'nothing') return undefined;
  return event(outcome, identity.by === 'token' ? 'auth.jwt' : 'auth.apikey', identity.username, true);
}

function writeEvent(outcome: Outcome): NewAuditEvent {
  const { operation, identity, error } = outcome;
  const actor = operation.id in SIGN_INS ? claimedBy(outcome.input) : identity?.username ?? '';
  return event(outcome, `write.${operation.path}`, actor, error === undefined);
}

/** The user name that the caller claims. */
function claimedBy(input: object | undefined): string {
  const username = (input as { readonly username?: unknown } | undefined)?.username;
  return typeof username === 'string' ? username : '';
}

/** The prefix decides the kind of the credential, whichever header it came in. */
function kindOf({ scheme, value }: NonNullable<Caller['credential']>): 'jwt' | 'apikey' {
  return scheme === 'api-key' || KEY_PREFIXES.some((prefix) => value.startsWith(prefix)) ? 'apikey' : 'jwt';
}

/** A caller whom an adapter refused, so that no operation was invoked. */
export interface UnidentifiedCaller extends Pick<Caller, 'ip' | 'userAgent' | 'credential'> {
  /** The path of the request. */
  readonly path: string;
  /** This adapter accepts only keys, whatever they look like. */
  readonly keysOnly: boolean;
}

export function unidentifiedCallerEvent(
  { ip, userAgent, credential, path, keysOnly }: UnidentifiedCaller,
): NewAuditEvent {
  const kind = credential === undefined ? 'missing' : keysOnly ? 'apikey' : kindOf(credential);
  return {
    actor: '',
    action: `auth.${kind}`,
    resource: cut(path, MAX_RESOURCE),
    result: 'fail',
    ip: ip ?? '',
    userAgent: cut(userAgent ?? '', MAX_AGENT),
  };
}

/** The event of a sender who begins to be refused by the rate limit. */
export function refusalEvent({ sender: { protocol, ip, userAgent }, username }: RefusedRequest): NewAuditEvent {
  return {
    actor: cut(username, MAX_ACTOR),
    action: 'incident.rate_limit_exceeded',
    resource: protocol,
    result: 'fail',
    ip: ip ?? '',
    userAgent: cut(userAgent ?? '', MAX_AGENT),
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'unauthenticated' || error.code === 'invalid_credentials');
}

function event({ operation, input, caller: { ip, userAgent } }: Outcome, action: string, actor: string,
  ok: boolean): NewAuditEvent
{
  return {
    actor: cut(actor, MAX_ACTOR),
    action,
    resource: cut(pathOf(operation.path, input), MAX_RESOURCE),
    ...subjectOf(operation, input),
    result: ok ? 'ok' : 'fail',
    ip: ip ?? '',
    userAgent: cut(userAgent ?? '', MAX_AGENT),
  };
}

/** Valid names are shorter; a refused request may have any. */
const MAX_NAME = 1024;

/**
 * The target of the request: its collection and, for an operation on one document or on a batch of one, its key and
 * language. The input may be anything, because refused requests are recorded too.
 */
function subjectOf({ collections }: Outcome['operation'],
  input: object | undefined): Pick<NewAuditEvent, 'collection' | 'key' | 'lang'>
{
  const fields = (input ?? {}) as Readonly<Record<string, unknown>>;
  const collection = nameIn(fields['collection']) ?? collections?.find(isSystemCollection);
  // In other operations a `key` is something else, such as a credential.
  const document = collections?.includes('collection') === true ? documentOf(fields) : undefined;
  const key = nameIn(document?.['key']);
  return { collection, key, lang: key === undefined ? undefined : nameIn(document?.['lang']) };
}

function documentOf(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const batch = fields['documents'];
  if (!Array.isArray(batch)) return fields;
  const only: unknown = batch.length === 1 ? batch[0] : undefined;
  return typeof only === 'object' && only !== null ? (only as Readonly<Record<string, unknown>>) : undefined;
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? cut(value, MAX_NAME) : undefined;
}

/** The path with its parameters replaced by the values of the input. */
function pathOf(template: string, input: object | undefined): string {
  return template.replace(/\{(\w+)\}/g, (part, name: string) => {
    const value = (input as Readonly<Record<string, unknown>> | undefined)?.[name];
    return typeof value === 'string' ? value : part;
  });
}

function cut(text: string, length: number): string {
  return (text.length > length ? `${text.slice(0, length - 1)}…` : text).toWellFormed();
}
