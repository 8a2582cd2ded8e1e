import { times } from '../fulltext/tables.ts';
import { figure, type Section } from '../support/table.ts';
import { EXACT_KINDS, type FilterCollection, type FilterKind, KINDS, PAIRS_PER_DOCUMENT } from './collection.ts';
import { CONNECTIONS } from './over-http.ts';
import type { PeerMeasured } from './peers.ts';
import type { QuireMeasured } from './quire.ts';

const ALL_KINDS = Object.keys(KINDS) as FilterKind[];

export function tablesOf(collection: FilterCollection, quire: QuireMeasured,
  peers: readonly PeerMeasured[]): Section[]
{
  const size = `${collection.texts.documents.toLocaleString('en-US')} documents, ${
    figure(collection.texts.bytes / 1e6)
  } MB`;
  return [inProcess(size, quire, peers), oneConnection(size, quire, peers), manyConnections(size, quire, peers),
    service(collection, quire, peers), agreement(collection, quire, peers), about(peers)];
}

function inProcess(size: string, quire: QuireMeasured, peers: readonly PeerMeasured[]): Section {
  const shown = peers.filter(({ answer }) => answer !== undefined);
  return {
    title: `Filters in process: ${size}, best 10, keys only, exact totals, one thread`,
    header: ['p50 in microseconds, and how often as long as ours', 'Quire', 'beside words alone', 'longest in ms',
      ...shown.map(({ peer }) => peer.name)],
    rows: [...ALL_KINDS.map((kind) => {
      const ours = quire.inProcess[kind];
      return [KINDS[kind], figure(ours.p50), beside(kind, ours.p50, quire.inProcess.words.p50), figure(ours.longest),
        ...shown.map(({ answer }) => {
          const theirs = answer!.kinds[kind];
          return theirs === undefined ? '-' : `${figure(theirs.p50)} (${times(theirs.p50 / ours.p50)})`;
        })];
    }), ['documents by the day on which they were added', figure(quire.inProcess.calendar.p50), '',
      figure(quire.inProcess.calendar.longest), ...shown.map(() => '-')]],
    notes: peers.flatMap(({ peer, failure }) => (failure === undefined ? [] : [`${peer.name}: ${failure}`])),
  };
}

function oneConnection(size: string, quire: QuireMeasured, peers: readonly PeerMeasured[]): Section {
  const served = peers.filter(({ http }) => http !== undefined);
  return {
    title: `Filters over HTTP, one connection: ${size}`,
    header: ['p50 / p99 in microseconds', 'Quire', 'beside words alone', 'longest block of the event loop in ms',
      ...served.map(({ peer }) => peer.name)],
    rows: ALL_KINDS.map((kind) => {
      const { one, longestBlock } = quire.http.get(kind)!;
      return [KINDS[kind], pair(one), beside(kind, one.p50, quire.http.get('words')!.one.p50), figure(longestBlock),
        ...served.map(({ http }) => `${pair(http!.get(kind)!.one)} (${times(http!.get(kind)!.one.p50 / one.p50)})`)];
    }),
    notes: [
      'The client shares the processors with the server. The block is the longest of this table and the next, ' +
      'with the millisecond of the timer that finds it.',
    ],
  };
}

function manyConnections(size: string, quire: QuireMeasured, peers: readonly PeerMeasured[]): Section {
  const served = peers.filter(({ http }) => http !== undefined);
  const cell = ({ perSecond, refused }: { perSecond: number; refused: number }) =>
    `${figure(perSecond)}${refused === 0 ? '' : `, ${refused} refused`}`;
  return {
    title: `Filters over HTTP, ${CONNECTIONS} connections: ${size}`,
    header: ['answers a second', 'Quire', ...served.map(({ peer }) => peer.name)],
    rows: ALL_KINDS.map((
      kind,
    ) => [KINDS[kind], cell(quire.http.get(kind)!), ...served.map(({ http }) => cell(http!.get(kind)!))]),
    notes: ['Quire is one process with one thread for requests; the peers have a thread for each processor.'],
  };
}

function service({ texts }: FilterCollection, { ingestSeconds, pairBytes, soak, restartMs }: QuireMeasured,
  peers: readonly PeerMeasured[]): Section
{
  const megabytes = (bytes: number) => `${figure(bytes / 1e6)} MB`;
  const memories = [soak.memory.before, soak.memory.filled, soak.memory.after];
  return {
    title: 'Filters: what the service needs',
    header: ['what', 'measured'],
    rows: [['documents added a second over HTTP by one client, durably', figure(texts.documents / ingestSeconds)],
      ...peers.flatMap((
        { peer, answer },
      ) => (answer === undefined
        ? []
        : [[`documents a second that ${peer.name} indexes in process, without syncing`,
          figure(answer.documents / answer.indexSeconds)]])
      ), ['metadata view, bytes of a pair of document and value, dictionaries aside',
      figure(pairBytes.withoutDictionaries)], ['the same, its whole memory', figure(pairBytes.total)], [
      `memory before, after ${figure(soak.fillSeconds)} s and after ${
        figure(soak.seconds)
      } s of all kinds of searches (${figure(soak.answered)} answered, ${soak.refused} refused)`,
      memories.map(({ rss }) => megabytes(rss)).join(', '),
    ], ['pages of files in it, which the system takes back when memory is short',
      memories.map(({ mapped }) => megabytes(mapped)).join(', ')], ['longest block of the event loop meanwhile',
      `${figure(soak.longestBlock)} ms`], ['start with all documents to the first search with a filter',
      `${figure(restartMs)} ms`]],
    notes: [
      `The view's bytes include the columns of names and times, which every document has; pairs are the ` +
      `${PAIRS_PER_DOCUMENT} of the metadata alone.`,
    ],
  };
}

/** Whether the peers find the same number: exactly without words, approximately with them. */
function agreement({ questions }: FilterCollection, { totals }: QuireMeasured,
  peers: readonly PeerMeasured[]): Section
{
  const rows = peers.flatMap((
    { peer, answer },
  ) => (answer === undefined ? [] : [[peer.name, ...[true, false].map((isExact) => {
    const asked = questions.flatMap(({ kind },
      i) => (EXACT_KINDS.includes(kind) === isExact && answer.totals[i] != null ? [i] : [])
    );
    if (asked.length === 0) return '-';
    const same = asked.filter((i) => answer.totals[i] === totals[i]).length;
    const sum = (of: readonly (number | null)[]) => asked.reduce((all, i) => all + (of[i] ?? 0), 0);
    return `${same} of ${asked.length}${
      isExact ? '' : `, matches ${signed((sum(answer.totals) / sum(totals) - 1) * 100)} %`
    }`;
  })]]));
  return {
    title: 'Filters: do the peers find the same?',
    header: ['peer', 'without words: questions with the same total', 'with words'],
    rows,
    notes: [
      'Tokenizers and stemmers differ, so totals with words do as well: Lucene keeps words with dots and ' +
      "underscores whole and stems by Porter's first algorithm, as SQLite does; tantivy and Quire split there and " +
      'stem by the second.',
    ],
  };
}

function about(peers: readonly PeerMeasured[]): Section {
  return {
    title: 'Filters: how it was measured',
    header: [],
    rows: [],
    notes: [
      'Values of filters and ranges differ from question to question. In process, kinds take turns, slice by ' +
      'slice; ours go through the pipeline of all protocols, with validation and the rows that are read.',
      'Searches with words rank by BM25; ours rerank the best, as is their default. Without `sort`, ours are in ' +
      'the order of their keys, those of the peers in that of the index.',
      ...peers.map(({ peer }) => `${peer.name}: ${peer.note}.`),
    ],
  };
}

const WITH_WORDS: readonly FilterKind[] = ['half', 'twentieth', 'thousandth', 'facet', 'range'];

function beside(kind: FilterKind, time: number, words: number): string {
  return WITH_WORDS.includes(kind) ? times(time / words) : '';
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(2)}`;
}

function pair({ p50, p99 }: { p50: number; p99: number }): string {
  return `${figure(p50)} / ${figure(p99)}`;
}
