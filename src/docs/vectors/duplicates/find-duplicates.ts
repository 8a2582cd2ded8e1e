import type { Operations } from '../../../../generated/docs/operations.ts';
import type { DuplicateDocument, DuplicateGroup,
  FindDuplicatesResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { roundScore } from '../../../lib/rounded.ts';
import type { AnswerBounds, AnswerBudget, InputOf } from '../../../operations/index.ts';
import type { Embeddings } from '../../embeddings/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { SearchGate } from '../../search-gate.ts';
import { type BodyDigest, type ComparedDocument, comparedDocuments, readBodies } from './compared-documents.ts';
import { type SimilarDocuments, similarDocuments } from './similar-documents.ts';

export interface DuplicatesDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock'> {
  readonly embeddings: Pick<Embeddings, 'of'>;
  /** A gate for comparisons, which need much time and memory: a separate one, so that they delay no search. */
  readonly comparisons: Pick<SearchGate, 'run'>;
}

type DuplicatesInput = InputOf<Operations, 'findDuplicates'>;

/** Bytes of hash, score and names of fields of a document in a group. */
const DOCUMENT_BYTES = 160;

const NONE: SimilarDocuments = { pairs: 0, groups: [] };

/**
 * `POST /v1/find-duplicates` (decisions section 4.3). Documents with equal bodies are also similar, so they are in
 * groups of both kinds if both are requested.
 */
export async function findDuplicates(deps: DuplicatesDeps, input: DuplicatesInput,
  { signal, budget }: AnswerBounds): Promise<FindDuplicatesResponse>
{
  const { collection, mode, threshold, distanceMetric } = input;
  const kept = input.includeContent ? budget : undefined;
  const embeddings = deps.embeddings.of(collection);
  const documents = await comparedDocuments(deps, embeddings.space, collection, input.maxDocs, signal);
  const alike = mode === 'similar' ? [] : sharing(documents, ({ crc, bytes }) => `${crc} ${bytes}`).flat();
  const bodies = await readBodies(deps, alike, kept, signal);
  const equal = sharing(alike.filter(({ ord }) => bodies.has(ord)), ({ ord }) => bodies.get(ord)!.hash);
  const similar = mode === 'exact'
    ? NONE
    : await deps.comparisons.run(
      () => similarDocuments(embeddings, documents, { metric: distanceMetric, threshold }, signal),
      signal,
    );
  const unread = similar.groups.flatMap((group) => group.documents.map(({ document }) => document)).filter(({ ord }) =>
    !bodies.has(ord)
  );
  for (const [ord, digest] of await readBodies(deps, unread, kept, signal)) bodies.set(ord, digest);
  const groups = budget.share();
  const exactGroups = fit(equal.map((group, i) => exactGroup(group, bodies, i + 1)), groups);
  const alikeGroups = fit(similarGroups(similar, bodies), groups);
  return {
    collection,
    mode,
    threshold,
    distanceMetric,
    totalDocuments: documents.length,
    totalEmbedded: documents.filter(({ model }) => model !== null).length,
    exactGroups,
    similarGroups: alikeGroups,
    exactDuplicates: equal.reduce((sum, { length }) => sum + length, 0),
    similarPairs: similar.pairs,
    ...((budget.isSpent || groups.isSpent) && { truncated: true as const }),
  };
}

/** The first groups that fit in the answer; their bodies were counted when they were read. */
function fit(groups: readonly DuplicateGroup[], budget: AnswerBudget): DuplicateGroup[] {
  return [
    ...budget.fit(groups,
      ({ documents }) =>
        documents.reduce(
          (bytes, { docId, key }) => bytes + Buffer.byteLength(docId) + Buffer.byteLength(key) + DOCUMENT_BYTES,
          0,
        )),
  ];
}

/** Groups of at least two documents that share a value, in the order of their first ones. */
function sharing(documents: readonly ComparedDocument[],
  what: (document: ComparedDocument) => string): ComparedDocument[][]
{
  return byFirst(
    [...Map.groupBy(documents, what).values()].filter(({ length }) => length > 1).map((group) => group.toSorted(byId)),
  );
}

function byFirst(groups: ComparedDocument[][]): ComparedDocument[][] {
  return groups.sort(([a], [b]) => byId(a!, b!));
}

function byId(a: ComparedDocument, b: ComparedDocument): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function exactGroup(documents: readonly ComparedDocument[], bodies: ReadonlyMap<number, BodyDigest>,
  number: number): DuplicateGroup
{
  return {
    groupId: `exact-${number}`,
    type: 'exact',
    score: 1,
    documents: documents.map((document) => present(document, bodies.get(document.ord)!, 1)),
  };
}

/** A document that was deleted since it was compared is left out, and so is a group with fewer than two left. */
function similarGroups({ groups }: SimilarDocuments, bodies: ReadonlyMap<number, BodyDigest>): DuplicateGroup[] {
  const there = groups.map(({ score, documents }) => ({
    score,
    documents: documents.filter(({ document }) => bodies.has(document.ord)),
  })).filter(({ documents }) => documents.length > 1);
  return there.map(({ score, documents }, i) => ({
    groupId: `similar-${i + 1}`,
    type: 'similar',
    score: roundScore(score),
    documents: documents.map(({ document, best }) => present(document, bodies.get(document.ord)!, best)),
  }));
}

function present({ id, key, lang }: ComparedDocument, { hash, contentMd }: BodyDigest,
  score: number): DuplicateDocument
{
  return {
    docId: id,
    key,
    lang,
    contentHash: hash,
    score: roundScore(score),
    ...(contentMd !== undefined && { contentMd }),
  };
}
