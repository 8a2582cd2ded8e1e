import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { type Post, signatureHeaders } from '../../net/index.ts';
import type { FindRule, Match, Rule } from './rule.ts';
import { fillHeader, type RuleName, type Variables, variablesOf } from './templates.ts';

/** The match of a rule that is to be delivered. */
export interface Delivery extends Match {
  readonly id: string;
  readonly event: 'trigger.matched' | 'cron.fired';
  readonly ruleId: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** Names of the rules that a delivery mentions. */
export interface Names {
  readonly trigger?: RuleName;
  readonly cron?: RuleName;
}

/** The name of the trigger that a cron reuses. */
export function namesOf({ id, body: { type, name, triggerId } }: Rule, find: FindRule): Names {
  if (type === 'trigger') return { trigger: { id, name } };
  const reused = triggerId ? find(triggerId) : undefined;
  return { ...(reused && { trigger: { id: reused.id, name: reused.body.name } }), cron: { id, name } };
}

/** The values that templates of a delivery may use. */
export function variablesFor(delivery: Delivery, names: Names,
  { document, webhookId }: { readonly document: Document | null; readonly webhookId: string }): Variables
{
  return variablesOf({ ...delivery, ...names, document, webhookId });
}

export interface MessageContext {
  readonly url: string;
  readonly names: Names;
  readonly variables: Variables;
  /** Null when the document was deleted after the match. */
  readonly document: Document | null;
  /** The webhook target; undefined for a rule with a URL of its own. */
  readonly target: Rule | undefined;
  /** Signs requests to targets without a secret of their own; empty for none. */
  readonly secret: string;
  /** Version of this build. */
  readonly version: string;
  /** When the attempt is sent, in Unix seconds. */
  readonly now: number;
}

/** One attempt of a delivery (decisions, section 6). */
export function messageOf(delivery: Delivery,
  { url, names, variables, document, target, secret, version, now }: MessageContext): Post
{
  const { id, event, collection, score, sentiment, timestamp } = delivery;
  const method = target?.body.method ?? 'POST';
  const content = {
    event,
    ...names,
    collection,
    document,
    score,
    ...(sentiment !== undefined && { sentiment }),
    timestamp,
  };
  const body = new TextEncoder().encode(method === 'GET' ? '' : JSON.stringify(content));
  const usual = {
    ...(method !== 'GET' && { 'Content-Type': 'application/json' }),
    'User-Agent': `svc-webhook/${version}`,
    'X-SVC-Event': event,
    ...(target && { 'X-SVC-Webhook-ID': target.id }),
    'X-SVC-Delivery': id,
    'X-SVC-Timestamp': String(now),
    ...(names.trigger && { 'X-SVC-Trigger-ID': names.trigger.id }),
    ...(names.cron && { 'X-SVC-Cron-ID': names.cron.id }),
    ...signatureHeaders(target?.secret || secret, { id, timestamp: now, body }),
  };
  const own = Object.entries(target?.body.headers ?? {}).map(([name, value]) =>
    [name, fillHeader(value, variables)] as const
  );
  return { url, method, headers: withOwn(usual, own), body };
}

/** Custom headers override others, in any letter case. */
function withOwn(usual: Readonly<Record<string, string>>,
  own: readonly (readonly [string, string])[]): Record<string, string>
{
  const taken = new Set(own.map(([name]) => name.toLowerCase()));
  return Object.fromEntries([...Object.entries(usual).filter(([name]) => !taken.has(name.toLowerCase())), ...own]);
}
