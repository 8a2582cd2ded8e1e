import { times } from '../fulltext/tables.ts';
import { SCALE } from '../support/scale.ts';
import { figure, type Section } from '../support/table.ts';
import { EXACT_KINDS, type FilterCollection, type FilterKind, KINDS } from './collection.ts';
import type { PeerMeasured } from './peers.ts';
import type { Memory, QuireMeasured } from './quire.ts';
import type { VectorsMeasured } from './vectors.ts';

/** Maximum ratio to the same search without. */
const RATIOS: Readonly<Partial<Record<FilterKind, number>>> = {
  half: 1.15,
  twentieth: 1.15,
  thousandth: 1.15,
  facet: 1.5,
  range: 1.2,
};
/** Maximum medians in process, in milliseconds. */
const MEDIANS: Readonly<Partial<Record<FilterKind | 'calendar', number>>> = {
  sorted: 1,
  deep: 3,
  terms: 2,
  histogram: 2,
  calendar: 2,
};
const BLOCK_MS = 20;
const BYTES_OF_A_PAIR = 16;
const RESTART_MS = 2000;
const INGESTED_PER_SECOND = 5640;
/** How much memory may grow and still count as flat. */
const GROWTH = 1.05;

export function targetsOf({ texts, questions }: FilterCollection, quire: QuireMeasured, peers: readonly PeerMeasured[],
  vectors: VectorsMeasured): Section
{
  const ratios = (Object.keys(RATIOS) as FilterKind[]).flatMap((kind) => {
    const most = RATIOS[kind]!;
    const inProcess = quire.inProcess[kind].p50 / quire.inProcess.words.p50;
    const http = quire.http.get(kind)!.one.p50 / quire.http.get('words')!.one.p50;
    return [
      row(`${KINDS[kind]}, beside the same search without, in process`, `at most ${most}x`, times(inProcess),
        inProcess <= most),
      row('the same over HTTP', `at most ${most}x`, times(http), http <= most),
    ];
  });
  const medians = (Object.keys(MEDIANS) as (keyof typeof MEDIANS)[]).map((kind) => {
    const ms = quire.inProcess[kind].p50 / 1000;
    return row(`${kind === 'calendar' ? 'documents by the day on which they were added' : KINDS[kind]}, p50 in process`,
      `under ${MEDIANS[kind]} ms`, `${ms.toFixed(3)} ms`, ms < MEDIANS[kind]!);
  });
  const perSecond = texts.documents / quire.ingestSeconds;
  const { soak, restartMs } = quire;
  const growth = ownMemory(soak.memory.after) / ownMemory(soak.memory.filled);
  const refused = soak.refused + [...quire.http.values()].reduce((sum, each) => sum + each.refused, 0);
  const block = Math.max(soak.longestBlock, ...[...quire.http.values()].map(({ longestBlock }) => longestBlock));
  const differing = peers.filter(({ answer }) =>
    answer?.totals.some((total, i) =>
      total != null && EXACT_KINDS.includes(questions[i]!.kind) && total !== quire.totals[i]
    )
  );
  return {
    title: `Filters: targets at ${texts.documents.toLocaleString('en-US')} documents${
      SCALE === 1 ? '' : ` (of a run with ${SCALE} of the documents, so they mean nothing)`
    }`,
    header: ['what', 'target', 'measured', 'met'],
    rows: [...ratios, ...medians,
      row('vector and hybrid searches with a filter, the slowest beside the same without', 'at most 1.15x',
        times(vectors.worstRatio), vectors.worstRatio <= 1.15),
      row('their recall@10 beside that without a filter, the worst', 'not less',
        `${vectors.recall.filtered.toFixed(3)} beside ${vectors.recall.unfiltered.toFixed(3)}`,
        vectors.recall.filtered >= vectors.recall.unfiltered - 0.005),
      row('documents added a second', `at least ${figure(INGESTED_PER_SECOND * 0.95)}, which was 95 % before`,
        figure(perSecond), perSecond >= INGESTED_PER_SECOND * 0.95),
      row('metadata view, bytes of a pair of document and value, dictionaries aside', `at most ${BYTES_OF_A_PAIR}`,
        figure(quire.pairBytes.withoutDictionaries), quire.pairBytes.withoutDictionaries <= BYTES_OF_A_PAIR),
      row(
        `memory after ${figure(soak.seconds)} s of such searches, beside after ${
          figure(soak.fillSeconds)
        } s, pages of files aside`,
        'flat',
        times(growth),
        growth <= GROWTH,
      ),
      row('restart to the first search with a filter', `under ${RESTART_MS / 1000} s`, `${figure(restartMs)} ms`,
        restartMs < RESTART_MS),
      row('longest block of the event loop during all searches over HTTP', `at most ${BLOCK_MS} ms`,
        `${figure(block)} ms`, block <= BLOCK_MS),
      row('searches that were refused', '0', String(refused), refused === 0),
      row('peers that find other totals without words', 'none',
        differing.map(({ peer }) => peer.name).join(', ') || 'none', differing.length === 0)],
  };
}

/** Without the pages of files, which the system takes back when memory is short. */
function ownMemory({ rss, mapped }: Memory): number {
  return rss - mapped;
}

function row(what: string, target: string, measured: string, met: boolean): string[] {
  return [what, target, measured, met ? 'yes' : 'no'];
}
