import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { type Post, signatureHeaders } from '../../net/index.ts';
import type { FindRule, Match, Rule } from './rule.ts';

/** The match of a rule that is to be delivered. */
export interface Delivery extends Match {
  readonly id: string;
  readonly event: 'trigger.matched' | 'cron.fired';
  readonly ruleId: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** Names of the rules that a delivery mentions. */
interface Names {
  readonly trigger?: RuleName;
  readonly cron?: RuleName;
}

/** The name of the trigger that a cron reuses. */
export function namesOf({ id, body: { type, name, triggerId } }: Rule, find: FindRule): Names {
  if (type === 'trigger') return { trigger: { id, name } };
  const reused = triggerId ? find(triggerId) : undefined;
  return { trigger: reused && { id: reused.id, name: reused.body.name }, cron: { id, name } };
}

interface MessageContext {
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
    sentiment,
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

const VARIABLE = /\{\{[ \t]{0,8}([^{}\s]{1,256})[ \t]{0,8}\}\}/g;

/** Returns the value of a template variable; undefined for an unknown name. */
export type Variables = (name: string) => string | undefined;

interface RuleName {
  readonly id: string;
  readonly name: string;
}

interface VariableSource {
  readonly event: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly collection: string;
  readonly docId: string;
  readonly key: string;
  readonly lang: string;
  /** Null when the document was deleted after the match. */
  readonly document: Document | null;
  readonly score: number;
  readonly sentiment?: number | undefined;
  readonly trigger?: RuleName | undefined;
  readonly cron?: RuleName | undefined;
  /** Id of the webhook target; empty for none. */
  readonly webhookId: string;
}

/** The variables of a delivery (decisions, section 2.3); several values of a metadata key are joined by commas. */
export function variablesOf(
  { event, timestamp, collection, docId, key, lang, document, score, sentiment, trigger, cron, webhookId }:
    VariableSource,
): Variables {
  const values: Readonly<Record<string, string | number | undefined>> = {
    event,
    timestamp,
    collection,
    score,
    sentiment,
    'doc.id': docId,
    'doc.key': key,
    'doc.lang': lang,
    'trigger.id': trigger?.id,
    'trigger.name': trigger?.name,
    'cron.id': cron?.id,
    'cron.name': cron?.name,
    'webhook.id': webhookId || undefined,
  };
  return (name) => {
    if (Object.hasOwn(values, name)) return values[name]?.toString();
    if (!name.startsWith('doc.meta.') || document === null) return undefined;
    const meta = name.slice('doc.meta.'.length);
    return Object.hasOwn(document.meta, meta) ? document.meta[meta]!.join(',') : undefined;
  };
}

/** A URL with its variables replaced, percent-encoded. */
export function fillUrl(url: string, variables: Variables): string {
  return fill(url, variables, (value) => encodeURIComponent(value.toWellFormed()));
}

/**
 * Whether a filled URL has another path than its template: a segment that consists of dots, even percent-encoded,
 * removes others (URL standard, "double-dot path segment").
 */
export function hasOtherPath(template: string, filled: string): boolean {
  const [wanted, found] = [URL.parse(withoutVariables(template)), URL.parse(filled)];
  return wanted !== null && found !== null && segmentsOf(wanted) !== segmentsOf(found);
}

const segmentsOf = ({ pathname }: URL): number => pathname.split('/').length;

/**
 * A header with its variables replaced, without line breaks; other characters that a header must not contain become
 * `?`.
 */
export function fillHeader(value: string, variables: Variables): string {
  return fill(value, variables, (text) => text).replace(/[\r\n]/g, '').replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

/** The URL with a letter in place of each variable, to check it before there are values. */
export function withoutVariables(url: string): string {
  return url.replace(VARIABLE, 'x');
}

function fill(text: string, variables: Variables, encode: (value: string) => string): string {
  return text.replace(VARIABLE, (variable, name: string) => {
    const value = variables(name);
    return value === undefined ? variable : encode(value);
  });
}
