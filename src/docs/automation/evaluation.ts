import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import type { DocsEnvironment } from '../environment.ts';
import { canonicalEvents, type ServiceEvent } from '../events/index.ts';
import type { Delivery } from './message.ts';
import type { PercolatedDocument } from './percolator.ts';
import type { CollectionTriggers, RuleIndex } from './rule-index.ts';
import { hasQuery, isInRange, isSentimentEnough, leastScore, type Match, type Rule, satisfied } from './rule.ts';
import { hybridBound, type RuleSearchDeps, scoreOf } from './search.ts';
import { sentimentOf } from './sentiment.ts';

/** A written document and its event. */
export interface Written {
  readonly event: ServiceEvent;
  readonly ord: number;
  readonly document: PercolatedDocument;
}

/** A match of a trigger. */
export interface Firing {
  readonly rule: Rule;
  readonly delivery: Delivery;
}

interface EvaluationDeps {
  readonly environment: Pick<DocsEnvironment, 'log'>;
  readonly search: RuleSearchDeps;
  readonly index: RuleIndex;
}

/** Counters since the start. */
export interface EvaluationCounts {
  /** Documents that were compared with triggers. */
  documents: number;
  /** Number of triggers whose conditions were evaluated for a document. */
  evaluated: number;
}

/** Decides which triggers a written document fires. */
export class Evaluation {
  readonly counts: EvaluationCounts = { documents: 0, evaluated: 0 };
  readonly #deps: EvaluationDeps;

  constructor(deps: EvaluationDeps) {
    this.#deps = deps;
  }

  /** Whether a trigger of a collection compares vectors. */
  async comparesVectors(collection: string): Promise<boolean> {
    return (await this.#deps.index.of(collection)).byVector.length > 0;
  }

  /** Whether a trigger compares the vectors of such a document. */
  async needsVectors(event: ServiceEvent): Promise<boolean> {
    return this.#deps.search.vectors.of(event.collection).isConfigured() &&
      (await this.#deps.index.of(event.collection)).byVector.some((rule) => concerns(rule, event));
  }

  /**
   * Evaluates triggers that do not compare vectors; without an embedding provider, all triggers. Throws errors that may
   * be temporary: `index_loading`, `unavailable`, `busy`.
   */
  async byWords(written: Written, signal: AbortSignal): Promise<Firing[]> {
    const { index, search } = this.#deps;
    const triggers = await index.of(written.event.collection);
    this.counts.documents++;
    const fired = await this.#fire(await triggers.candidates(written.document), written, signal);
    return search.vectors.of(written.event.collection).isConfigured() || triggers.byVector.length === 0
      ? fired
      : [...fired, ...await this.byVectors(written, signal)];
  }

  /** Evaluates triggers that compare vectors. Throws as above. */
  async byVectors(written: Written, signal: AbortSignal): Promise<Firing[]> {
    const triggers = await this.#deps.index.of(written.event.collection);
    return this.#fire(await this.#possible(triggers, written, signal), written, signal);
  }

  /** Leaves out hybrid searches whose score cannot reach the threshold. */
  async #possible(triggers: CollectionTriggers, { event, ord, document }: Written,
    signal: AbortSignal): Promise<{ rule: Rule; mayBeFound: boolean }[]>
  {
    const withWords = await triggers.withWords(document);
    const possible: { rule: Rule; mayBeFound: boolean }[] = [];
    const pace = new Pace();
    for (const rule of triggers.byVector) {
      if (!concerns(rule, event)) continue;
      await pace.rest();
      const mayHaveWords = withWords.has(rule);
      const bound = rule.body.searchType === 'hybrid'
        ? await this.#guarded(rule, event, signal, () =>
          hybridBound(this.#deps.search, rule.body, event.collection, { ord, mayHaveWords }, signal))
        : 1;
      const mayBeFound = bound !== undefined && bound >= leastScore(rule.body);
      if (mayBeFound || isSentimentEnough(rule.body)) possible.push({ rule, mayBeFound });
    }
    return possible;
  }

  async #fire(candidates: readonly { readonly rule: Rule; readonly mayBeFound: boolean }[],
    { event, ord, document }: Written, signal: AbortSignal): Promise<Firing[]>
  {
    const { search } = this.#deps;
    let known: number | undefined;
    const sentiment = (): number => (known ??= sentimentOf(document.contentMd, search.lexicon()));
    const firings: Firing[] = [];
    const pace = new Pace();
    for (const { rule, mayBeFound } of candidates) {
      if (!concerns(rule, event)) continue;
      await pace.rest();
      this.counts.evaluated++;
      const { body } = rule;
      const isHopeless = body.sentimentEnabled && !isSentimentEnough(body) && !isInRange(body, sentiment());
      if (isHopeless) continue;
      const found = mayBeFound && hasQuery(body)
        ? await this.#guarded(rule, event, signal, () => scoreOf(search, body, event.collection, ord, signal))
        : undefined;
      const match = satisfied(body, found, sentiment);
      if (match !== undefined) firings.push({ rule, delivery: deliveryOf(rule, event, match) });
    }
    return firings;
  }

  /**
   * Returns undefined for a rule that cannot be evaluated, so that it does not block the others; temporary errors are
   * thrown.
   */
  async #guarded<T>(rule: Rule, { docId }: ServiceEvent, signal: AbortSignal,
    evaluate: () => Promise<T>): Promise<T | undefined>
  {
    try {
      return await evaluate();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceError && MOMENTARY.has(error.code)) throw error;
      this.#deps.environment.log.warn({ err: error, rule: rule.id, document: docId },
        'a trigger could not be evaluated');
      return undefined;
    }
  }
}

const MOMENTARY: ReadonlySet<string> = new Set(['index_loading', 'unavailable', 'busy']);

function concerns({ body, since }: Rule, { event, seq }: ServiceEvent): boolean {
  return seq > since && canonicalEvents(body.events).has(event);
}

function deliveryOf(rule: Rule, { seq, timestamp, docId, collection, key, lang }: ServiceEvent,
  match: Pick<Match, 'score' | 'sentiment'>): Delivery
{
  return {
    id: deliveryId(rule.id, `${seq}/${timestamp}`, docId),
    event: 'trigger.matched',
    ruleId: rule.id,
    timestamp,
    docId,
    collection,
    key,
    lang,
    ...match,
  };
}

/**
 * The id of a delivery. It is the same whenever the same event or run is evaluated again, so that a receiver can drop
 * repeats.
 */
export function deliveryId(ruleId: string, occasion: string, docId: string): string {
  return `dlv_${createHash('sha256').update(`${ruleId}/${occasion}/${docId}`).digest('hex').slice(0, 24)}`;
}
