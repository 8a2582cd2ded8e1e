import type { Kind, Latency, Peer, Speed } from '../peers/index.ts';
import { figure, type Section } from '../support/table.ts';
import type { Texts } from './texts.ts';

/** The result of one peer for one collection: figures, or why there are none. */
export interface Outcome {
  readonly peer: Peer;
  readonly speed?: Speed;
  readonly failure?: string;
}

const NAMES: Readonly<Record<Kind, string>> = {
  term: '1 word',
  or: '3 words, any (OR)',
  and: '3 words, all (AND)',
  pair: '2 words, all (AND)',
  phrase: 'phrase of 2 words',
  prefix: 'words with a prefix of 4 letters',
  infix: 'words with 4 letters within',
  fuzzy: '1 word, 1 edit',
  heavy: '3 frequent words, any',
  heavyForms: '3 frequent words, any, without stemming',
};

/** The tables of one collection; the first result is our own. */
export function tablesOf(name: string, texts: Texts, outcomes: readonly Outcome[]): Section[] {
  const title = `Full-text search, ${name}: ${texts.documents.toLocaleString('en-US')} documents, ${
    figure(texts.bytes / 1e6)
  } MB`;
  const shown = outcomes.filter(({ speed }) => speed !== undefined);
  const notes = outcomes.flatMap(({ peer, failure }) => (failure === undefined ? [] : [`${peer.name}: ${failure}`]));
  if (outcomes[0]?.speed === undefined) return [{ title, header: [], rows: [], notes }];
  const header = ['queries a second, and how many times as many as theirs are ours',
    ...shown.map(({ peer }) => peer.name)];
  return [{ title, header, rows: kindRows(shown, withRatio), notes }, {
    title: `${title}: latency`,
    header: ['p50 / p95 / p99 in microseconds', ...header.slice(1)],
    rows: kindRows(shown, ({ p50, p95, p99 }) => [p50, p95, p99].map(figure).join(' / ')),
  }, {
    title: `${title}: matches of a query, on average`,
    header: ['matches', ...header.slice(1)],
    rows: kindRows(shown, ({ matches }) => figure(matches)),
  }, { title: `${title}: index`, header: ['index', ...header.slice(1)], rows: indexRows(shown) }];
}

function kindRows(outcomes: readonly Outcome[],
  cell: (theirs: Latency, ours: Latency, isOurs: boolean) => string): string[][]
{
  const ours = outcomes[0]!.speed!.kinds;
  return (Object.keys(ours) as Kind[]).map((kind) => [NAMES[kind], ...outcomes.map(({ speed }, i) => {
    const latency = speed!.kinds[kind];
    return latency === undefined ? '-' : cell(latency, ours[kind]!, i === 0);
  })]);
}

function withRatio(theirs: Latency, ours: Latency, isOurs: boolean): string {
  return isOurs ? figure(ours.perSecond) : `${figure(theirs.perSecond)} (${times(ours.perSecond / theirs.perSecond)})`;
}

function indexRows(outcomes: readonly Outcome[]): string[][] {
  const ours = outcomes[0]!.speed!;
  const row = (what: string, cell: (speed: Speed) => string) => [what, ...outcomes.map(({ speed }) => cell(speed!))];
  return [
    row('documents a second, one thread',
      (speed) =>
        `${figure(rate(speed))}${speed === ours ? '' : ` (${times(rate(ours) / rate(speed))})`}${
          speed.complete ? '' : `, given up after ${figure(speed.documents)}`
        }`),
    row('bytes of index for each of text',
      (speed) =>
        Object.entries(speed.sizes).map(([where, bytes]) => `${where} ${(bytes / speed.bytes).toFixed(2)}`).join(
          ', ',
        ) || '-'),
    row('opened anew and asked, ms', ({ reopenMs }) => (reopenMs === undefined ? '-' : figure(reopenMs))),
  ];
}

/** Documents per second. */
export function rate({ documents, indexSeconds }: Speed): number {
  return documents / indexSeconds;
}

export function times(ratio: number): string {
  return `${ratio >= 10 ? figure(ratio) : ratio.toFixed(2)}x`;
}
