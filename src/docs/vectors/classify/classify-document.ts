import type { Operations } from '../../../../generated/docs/operations.ts';
import type { ClassifyDocumentResponse, Document } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { SimilarityKernel } from '../../../kernels/similarity.ts';
import { roundScore } from '../../../lib/rounded.ts';
import { type Context, type Handlers, type InputOf, Reply } from '../../../operations/index.ts';
import type { Documents } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { SearchGate } from '../../search-gate.ts';
import { embedBody, inOne, type PassageVectors, passageVectors, sameModel,
  type VectorReader } from './document-vector.ts';

export interface ClassifyDeps extends Pick<DocsEnvironment, 'sql'> {
  readonly documents: { readonly handlers: Pick<Documents['handlers'], 'getDocument'> };
  readonly embeddings: { of(collection: string): VectorReader };
  readonly gate: Pick<SearchGate, 'run'>;
}

type ClassifyInput = InputOf<Operations, 'classifyDocument'>;
type Labelled = ClassifyDocumentResponse['results'][number];

/**
 * `POST /v1/classify` (decisions section 4.3). Labels are embedded as queries: a label relates to a text as a query
 * relates to a document that it finds.
 */
export function classifyDocument(deps: ClassifyDeps): NonNullable<Handlers<Operations>['classifyDocument']> {
  return async (input, context) => {
    checkInput(input);
    const { gate } = deps;
    const { signal } = context;
    // A text belongs to no collection: it is embedded by the server's provider, as in a collection without fields.
    const embeddings = deps.embeddings.of(input.text === undefined ? input.collection! : '');
    if (!embeddings.describe().enabled)
      throw new ServiceError('invalid_argument', 'embedding provider not configured');
    const document = input.text === undefined ? await readDocument(deps, input, context) : undefined;
    const { vectors: labels, ...model } = await embeddings.embedTexts(input.labels, 'query', signal);
    const isComparable = (other: typeof model): boolean => sameModel(model, other);
    const passages = document === undefined
      ? await embedBody(embeddings, { key: 'text', meta: {}, contentMd: input.text! }, signal)
      : await passageVectors(embeddings, document, isComparable, signal);
    if (passages !== undefined && !isComparable(passages.model))
      throw new ServiceError('unavailable', 'the embedding model changed meanwhile; try again');
    // A blank document is similar to no label.
    const scores = passages && await gate.run(async () => scoreLabels(passages, labels), signal);
    const results = scores === undefined ? [] : choose(input, scores);
    return { results, model: model.model, dimensions: model.dimensions };
  };
}

/** Checks what a schema cannot express. */
function checkInput({ text, collection, key, labels }: ClassifyInput): void {
  if (text === undefined) {
    const missing = Object.entries({ collection, key }).filter(([, value]) => value === undefined).map(([name]) =>
      name
    );
    if (missing.length === 2) throw new ServiceError('missing_fields', 'missing fields: text, or collection and key');
    if (missing.length === 1) throw new ServiceError('missing_fields', `missing fields: ${missing[0]!}`);
  } else if (text.trim() === '') {
    throw new ServiceError('invalid_argument', 'text must not be blank');
  }
  const blank = labels.findIndex((label) => label.trim() === '');
  if (blank >= 0) throw new ServiceError('invalid_argument', `labels[${blank}] must not be blank`);
}

/** Finds a document by a spelling under which it was once written, as `getDocument` does; throws `not_found`. */
async function readDocument({ sql, documents }: ClassifyDeps, { collection, key, lang }: ClassifyInput,
  context: Context)
{
  const answer = await documents.handlers.getDocument({ collection: collection!, key: key!, lang }, context);
  const document: Document = answer instanceof Reply ? answer.value : answer;
  const row = await sql.get<{ ord: number; crc: number }>('SELECT ord, crc FROM documents WHERE id = ?', [document.id]);
  if (row === undefined) throw new ServiceError('not_found', 'not found');
  return { ...row, key: document.key, meta: document.meta, contentMd: async () => document.contentMd };
}

/** The cosine of each label with the mean of the passages. */
function scoreLabels({ vectors }: PassageVectors, labels: readonly Float32Array[]): number[] {
  const kernel = new SimilarityKernel(vectors[0]!.length, 'cosine');
  for (const row of [inOne(vectors), ...labels]) kernel.add(row);
  return labels.map((_, i) => kernel.score(0, i + 1));
}

/** Best first; equal scores in the order of the labels. */
function choose({ labels, threshold, multi, topK }: ClassifyInput, scores: readonly number[]): Labelled[] {
  const found = labels.map((label, i) => ({ label, score: scores[i]! })).filter(({ score }) => score >= threshold).sort(
    (a, b) => b.score - a.score
  );
  const wanted = multi ? found : found.slice(0, topK);
  return wanted.map(({ label, score }) => ({ label, score: roundScore(score) }));
}
