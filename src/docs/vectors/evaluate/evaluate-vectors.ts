import type { Operations } from '../../../../generated/docs/operations.ts';
import type { EvaluatedField, EvaluateVectorsResponse,
  FieldAgreement } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { roundScore } from '../../../lib/rounded.ts';
import type { AnswerBounds, InputOf } from '../../../operations/index.ts';
import { gathered, readEach } from '../../../search/parts/index.ts';
import { inList } from '../../../storage/index.ts';
import { type Collections, isSupplied, SERVER_FIELD } from '../../collections/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { SearchGate } from '../../search-gate.ts';
import { COLLECTION_ID } from '../../stored-collections.ts';
import type { VectorSearch } from '../vector-search.ts';

export interface EvaluateDeps extends Pick<DocsEnvironment, 'sql'> {
  readonly collections: Pick<Collections, 'configOf'>;
  readonly vectors: { of(collection: string, field?: string): VectorSearch };
  readonly gate: Pick<SearchGate, 'run'>;
}

type EvaluateInput = InputOf<Operations, 'evaluateVectors'>;

/** A question with the documents that answer it. */
interface Question {
  readonly text: string;
  /**
   * Each with the ordinals that it may be: one for each language unless one is named. Without any, it cannot be found.
   */
  readonly relevant: readonly ReadonlySet<number>[];
}

/** The results of all questions in one field. */
interface Run {
  readonly field: string;
  readonly search: VectorSearch;
  /** The ordinals of each question's results, best first. */
  readonly found: readonly (readonly number[])[];
  readonly durations: readonly number[];
}

/**
 * `POST /v1/vector-evaluate`: the same questions by several fields. Only vectors are compared, because the words of a
 * hybrid search are the same for all.
 */
export async function evaluateVectors(deps: EvaluateDeps, input: EvaluateInput,
  { signal }: AnswerBounds): Promise<EvaluateVectorsResponse>
{
  const { collection, topK } = input;
  const blank = input.queries.findIndex(({ query }) => query.trim() === '');
  if (blank >= 0) throw new ServiceError('invalid_argument', `queries[${blank}].query must not be blank`);
  const fields = fieldsOf(deps, input);
  const questions = await readQuestions(deps, input);
  const runs: Run[] = [];
  for (const field of fields) runs.push(await runQuestions(deps, { collection, field, topK }, questions, signal));
  return {
    collection,
    topK,
    queries: questions.length,
    judged: questions.filter(({ relevant }) => relevant.length > 0).length,
    fields: await gathered(() => readEach(runs, (run) => judge(run, collection, questions))),
    agreement: runs.flatMap((run, i) => runs.slice(i + 1).map((other) => compare(run, other))),
  };
}

/** Throws `invalid_argument` for a field that no question can be embedded for. */
function fieldsOf({ collections, vectors }: EvaluateDeps, { collection, vectorFields }: EvaluateInput): string[] {
  const { vectors: declared = {}, serverVectors = true } = collections.configOf(collection) ?? {};
  const provided = Object.keys(declared).filter((name) => declared[name]!.source === 'provider').sort();
  const hasServer = serverVectors && vectors.of(collection, SERVER_FIELD).isConfigured();
  const fields = [...new Set(vectorFields ?? [...hasServer ? [SERVER_FIELD] : [], ...provided])];
  if (fields.length === 0) throw new ServiceError('invalid_argument', 'embedding provider not configured');
  for (const [i, field] of fields.entries()) {
    if (isSupplied(declared, field))
      throw new ServiceError('invalid_argument',
        `vectorFields[${i}] must be of the source provider, which ${field} is not: a question has no vector of it`);
    if (!vectors.of(collection, field).isConfigured())
      throw new ServiceError('invalid_argument', `vectorFields: ${field}: embedding provider not configured`);
  }
  return fields;
}

async function runQuestions({ vectors, gate }: EvaluateDeps,
  { collection, field, topK }: { readonly collection: string; readonly field: string; readonly topK: number },
  questions: readonly Question[], signal: AbortSignal): Promise<Run>
{
  const search = vectors.of(collection, field);
  const found: number[][] = [];
  const durations: number[] = [];
  for (const { text } of questions) {
    signal.throwIfAborted();
    const started = performance.now();
    const vector = await search.embedQuery(text, signal, collection);
    const { hits } = await gate.run(
      () => search.searchByVector({ ...vector, collection, k: topK, perDocument: true }, signal),
      signal,
    );
    durations.push(performance.now() - started);
    found.push(hits.map(({ ord }) => ord));
  }
  return { field, search, found, durations };
}

function judge({ field, search, found, durations }: Run, collection: string,
  questions: readonly Question[]): EvaluatedField
{
  const judged = questions.flatMap(({ relevant }, i) => (relevant.length === 0 ? [] : [{ relevant, hits: found[i]! }]));
  const models = search.modelsOf(collection);
  const [model] = models;
  return {
    vectorField: field,
    model: model?.model ?? '',
    dimensions: model?.dimensions ?? 0,
    documents: models.reduce((sum, { documents }) => sum + documents, 0),
    mrr: mean(judged.map(({ relevant, hits }) => {
      const place = hits.findIndex((ord) => relevant.some((ords) => ords.has(ord)));
      return place < 0 ? 0 : 1 / (place + 1);
    })),
    recall: mean(
      judged.map(({ relevant, hits }) =>
        relevant.filter((ords) => hits.some((ord) => ords.has(ord))).length / relevant.length
      ),
    ),
    durationMs: Math.round(median(durations) * 100) / 100,
  };
}

/** Questions for which neither finds anything agree. */
function compare(a: Run, b: Run): FieldAgreement {
  const overlaps = a.found.map((hits, i) => {
    const others = new Set(b.found[i]);
    const most = Math.max(hits.length, others.size);
    return most === 0 ? 1 : hits.filter((ord) => others.has(ord)).length / most;
  });
  return { vectorFields: [a.field, b.field], overlap: mean(overlaps) };
}

/** Number of keys that one statement looks up. */
const STEP = 256;

/** Documents are named by any spelling under which they were written. */
async function readQuestions({ sql }: EvaluateDeps, { collection, queries }: EvaluateInput): Promise<Question[]> {
  const keys = [...new Set(queries.flatMap(({ relevant = [] }) => relevant.map(({ key }) => key)))];
  const found = new Map<string, { readonly ord: number; readonly lang: string }[]>();
  for (let i = 0; i < keys.length; i += STEP) {
    const { marks, params } = inList(keys.slice(i, i + STEP));
    const rows = await sql.all<{ ord: number; key: string; lang: string }>(
      `SELECT s.ord, s.key, d.lang FROM spellings s JOIN documents d ON d.ord = s.ord
       WHERE s.cid = ${COLLECTION_ID} AND s.key IN (${marks})`,
      [collection.toLowerCase(), ...params],
    );
    for (const row of rows) found.set(row.key, [...found.get(row.key) ?? [], row]);
  }
  return queries.map(({ query: text, relevant = [] }) => ({
    text,
    relevant: relevant.map(({ key, lang }) => {
      const isMeant = (row: { readonly lang: string }): boolean =>
        lang === undefined || row.lang.toLowerCase() === lang.toLowerCase();
      return new Set((found.get(key) ?? []).filter(isMeant).map(({ ord }) => ord));
    }),
  }));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : roundScore(values.reduce((sum, value) => sum + value, 0) / values.length);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
