import { Pace } from '../../lib/pace.ts';
import type { Standing } from '../../operations/index.ts';
import { CHANGE_FLAGS, type Transaction } from '../../storage/index.ts';
import { transactFor } from '../environment.ts';
import { Effort } from '../schemas/index.ts';
import { concernsSymbols, withSymbols } from './code-symbols.ts';
import { type Deps, maxRevisionsOf } from './deps.ts';
import type { Meta } from './document-rows.ts';
import { transactWithCapacity, type WaitBudget } from './embedding-capacity.ts';
import { readVectors, storedVectors } from './given-vectors.ts';
import { identify } from './identity.ts';
import { itemProblem, type RawItem, repairItem, requireText, type ValidItem } from './item-rules.ts';
import { type DuplicateRule, type NewVersion, putVersions, toPending } from './put-versions.ts';

/** Number of documents in one transaction (contract section 8). */
export const CHUNK = 500;

/** Number of code documents that are parsed for symbols at once. */
const READ_AT_ONCE = 8;

/** One document of a batch. */
export interface BatchItem extends RawItem {
  readonly saveRevision: boolean;
  /** Why the caller refuses it; the item fails with this reason, whatever else is wrong with it. */
  readonly refused?: string;
}

export interface BatchOptions {
  /** Skips documents of which nothing would change. */
  readonly skipDuplicates?: DuplicateRule | undefined;
  /** Sum of `CHANGE_FLAGS` for the subscribers of the change feed. */
  readonly flags?: number;
  /**
   * For callers without read permission: nothing of the result depends on what is stored. Every stored document counts
   * as added, and none as `embeddingDropped`.
   */
  readonly hidesStored?: boolean | undefined;
  /** Number of documents in one transaction; 500 when absent. */
  readonly chunk?: number;
  /** Aborting stops the batch between two transactions; committed ones stay. */
  readonly signal?: AbortSignal;
  /** Whose permission is needed when a transaction begins; absent for the service's own work. */
  readonly by?: Standing | undefined;
  /**
   * Called in each transaction after its documents are written, for data that must be committed with them and that no
   * other batch writes. `soFar` counts the first `processed` items, those of the transaction included. Rejecting rolls
   * the transaction back and ends the batch.
   */
  readonly within?: (tx: Transaction, soFar: BatchResult, processed: number) => Promise<void>;
  /** Numbers of the items in error messages; default: their indexes. */
  readonly numbers?: readonly number[];
  /** The first transaction waits for this promise, while the items are prepared; nothing is written when it rejects. */
  readonly after?: Promise<unknown>;
}

export interface BatchResult {
  added: number;
  updated: number;
  skipped: number;
  failed: number;
  /** Items whose text was repaired. */
  sanitized: number;
  /** Documents stored without an embedding because the queue was full. */
  embeddingDropped: number;
  /** `<index> <key>: <reason>` for each item that failed. */
  readonly errors: string[];
}

export interface DocumentWriter {
  /**
   * Creates or updates documents of a collection, in order, in one transaction for every 500 or `chunk` items (fewer if
   * the embedding queue is smaller). An item that breaks a rule or the collection's schema fails alone; only a failure
   * of the storage rejects, and then the transactions before it stay.
   */
  put(collection: string, items: readonly BatchItem[], options?: BatchOptions): Promise<BatchResult>;
}

export function createWriter(deps: Deps): DocumentWriter {
  return {
    async put(collection, items, options = {}) {
      requireText(collection);
      const result: BatchResult = {
        added: 0,
        updated: 0,
        skipped: 0,
        failed: 0,
        sanitized: 0,
        embeddingDropped: 0,
        errors: [],
      };
      const waitBudget = deps.embeddingCapacity.waitBudget();
      const effort = new Effort();
      const step = Math.min(options.chunk ?? CHUNK, deps.embeddingCapacity.size);
      for (let start = 0; start < items.length; start += step) {
        options.signal?.throwIfAborted();
        const versions = await prepare(deps, collection, items.slice(start, start + step), { start, effort }, options,
          result);
        const within = options.within &&
          ((tx: Transaction, soFar: BatchResult) => options.within!(tx, soFar, Math.min(start + step, items.length)));
        await options.after;
        await putChunk(deps, collection, versions, {
          waitBudget,
          signal: options.signal,
          by: options.by,
          within,
          hidesStored: options.hidesStored === true,
        }, result);
      }
      return result;
    },
  };
}

interface ChunkOptions {
  readonly waitBudget: WaitBudget;
  readonly signal: AbortSignal | undefined;
  readonly by: Standing | undefined;
  readonly within: ((tx: Transaction, soFar: BatchResult) => Promise<void>) | undefined;
  readonly hidesStored: boolean;
}

async function putChunk(deps: Deps, collection: string, versions: readonly NewVersion[],
  { within, hidesStored, ...wait }: ChunkOptions, result: BatchResult): Promise<void>
{
  if (versions.length === 0) {
    if (within !== undefined) await transactFor(deps.sql, wait.by, (tx) => within(tx, result));
    return;
  }
  const only = versions[0]!.identity.collection;
  const { value } = await transactWithCapacity(deps, { versions, toPending, ...wait, only }, async (work, flagged) => {
    const isLast = within === undefined;
    const outcomes = await putVersions(work, flagged, maxRevisionsOf(deps, collection), isLast);
    const stored = flagged.filter((_, i) => outcomes[i]!.status !== 'skipped');
    const soFar = { ...result };
    for (const { status } of outcomes) soFar[hidesStored ? 'added' : status]++;
    if (!hidesStored)
      soFar.embeddingDropped += stored.filter(({ flags }) => (flags & CHANGE_FLAGS.EMBEDDING_DROPPED) !== 0).length;
    await within?.(work.tx, soFar);
    return { value: soFar, stored };
  });
  Object.assign(result, value);
}

/** The items that can be stored, with their bodies encoded; the problems of the others are added to the result. */
async function prepare(deps: Deps, collection: string, items: readonly BatchItem[],
  { start, effort }: { readonly start: number; readonly effort: Effort }, options: BatchOptions,
  result: BatchResult): Promise<NewVersion[]>
{
  const pace = new Pace();
  const declared = deps.collections.configOf(collection)?.vectors;
  const valid: (BatchItem & ValidItem)[] = [];
  const vectors = new Map<BatchItem, Uint8Array | null>();
  for (const [i, raw] of items.entries()) {
    const { item, repaired } = repairItem(raw);
    if (repaired) result.sanitized++;
    let problem = raw.refused ?? itemProblem(item);
    if (problem === undefined) {
      const violations = deps.schemas.violations(collection, item.meta ?? {}, effort);
      problem = schemaProblem(violations instanceof Promise ? await violations : violations);
    }
    if (problem === undefined && item.vectors) {
      const read = readVectors(item.vectors, declared, item.contentMd!);
      problem = read.problem;
      if (read.problem === undefined) vectors.set(item, storedVectors(read.fields));
    }
    if (problem === undefined) valid.push(item as BatchItem & ValidItem);
    else addFailure(result, options.numbers?.[start + i] ?? start + i, item.key, problem);
    options.signal?.throwIfAborted();
    if (pace.isDue) await pace.rest();
  }
  const symbols = await symbolsOf(deps, collection, valid, pace);
  const drafts = valid.map((item) => toDraft(collection, item, symbols.get(item) ?? item.meta ?? {}, options));
  const [bodies, prepared] = await Promise.all([
    deps.codec.encodeFor(collection, valid.map(({ contentMd }) => contentMd)),
    ((options.flags ?? 0) & CHANGE_FLAGS.SKIP_FTS) === 0
      ? deps.preparation?.prepare(collection,
        drafts.map(({ identity: { key, lang }, meta }, i) => ({ key, lang, meta, contentMd: valid[i]!.contentMd })))
      : undefined,
  ]);
  return drafts.map((draft, i) => ({
    ...draft,
    body: bodies[i]!,
    vectors: vectors.get(valid[i]!) ?? null,
    prepared: prepared?.[i],
  }));
}

type Draft = Omit<NewVersion, 'body'>;

function schemaProblem(violations: readonly string[]): string | undefined {
  return violations.length === 0 ? undefined : `validation failed: ${violations.join('; ')}`;
}

/** The metadata of the items that have symbols of source code, or might have had them. */
async function symbolsOf(deps: Deps, collection: string, items: readonly (BatchItem & ValidItem)[],
  pace: Pace): Promise<ReadonlyMap<BatchItem, Meta>>
{
  const found = new Map<BatchItem, Meta>();
  const concerned = items.filter(concernsSymbols);
  for (let i = 0; i < concerned.length; i += READ_AT_ONCE) {
    await Promise.all(concerned.slice(i, i + READ_AT_ONCE).map(async (item) => {
      const { key, lang, meta = {}, contentMd } = item;
      found.set(item, await withSymbols(deps, identify(collection, key, lang), meta, contentMd));
    }));
    if (pace.isDue) await pace.rest();
  }
  return found;
}

function toDraft(collection: string, { key, lang, ttl, saveRevision }: BatchItem & ValidItem, meta: Meta,
  { skipDuplicates, flags }: BatchOptions): Draft
{
  return {
    identity: identify(collection, key, lang),
    meta,
    ttl,
    saveRevision,
    skipDuplicate: skipDuplicates,
    flags: flags ?? 0,
  };
}

const SHOWN_KEY = 200;

/** Counts a failed item and adds its reason. */
export function addFailure(result: Pick<BatchResult, 'failed' | 'errors'>, index: number, key: string | undefined,
  reason: string): void
{
  const shown = key !== undefined && key.length > SHOWN_KEY ? `${key.slice(0, SHOWN_KEY)}…` : (key ?? '');
  result.failed++;
  result.errors.push(`${index} ${shown}: ${reason}`);
}
