import { flexSearch, fts5, type Kind, type Latency, miniSearch, type Peer, quire } from '../peers/index.ts';
import { SCALE } from '../support/scale.ts';
import { figure, type Section } from '../support/table.ts';
import { type Outcome, rate, times } from './tables.ts';

/** The measurements that are compared with the targets. */
export interface Measured {
  readonly pages: readonly Outcome[];
  readonly million: readonly Outcome[];
  /** Milliseconds until a server with 100,000 documents answers a search after a stop, and after a crash. */
  readonly restart: { readonly stopped: number; readonly killed: number } | undefined;
}

const KIND: Kind = 'or';

/** Each target of the design and the value measured in this run. */
export function targetsOf({ pages, million, restart }: Measured): Section {
  const ours = speedOf(pages, quire);
  const heavy = speedOf(million, quire)?.kinds;
  const faster = (peer: Peer, least: number) => {
    const [mine, theirs] = [ours?.kinds[KIND], speedOf(pages, peer)?.kinds[KIND]];
    const ratio = mine && theirs && mine.perSecond / theirs.perSecond;
    return row(`queries a second of 3 words, any, beside ${peer.name}'s (MDN)`, `at least ${least}x`,
      ratio && times(ratio), ratio && ratio >= least);
  };
  const share = (part: string) => (ours === undefined ? undefined : ours.sizes[part]! / ours.bytes);
  const size = share('index');
  const beside = speedOf(pages, fts5);
  const indexing = ours && beside && rate(ours) / rate(beside);
  return {
    title: `Full-text search: targets${
      SCALE === 1 ? '' : ` (of a run with ${SCALE} of the documents, so they mean nothing)`
    }`,
    header: ['what', 'target', 'measured', 'met'],
    rows: [faster(fts5, 20), faster(miniSearch, 20), faster(flexSearch, 5),
      row("documents indexed a second, beside SQLite FTS5's (MDN)", 'at least 1x', indexing && times(indexing),
        indexing && indexing >= 1),
      row('index with positions, of the text (MDN)', 'at most 35 %',
        size &&
          `${percent(size)}; whole memory ${percent(share('memory')!)}, checkpoint ${percent(share('checkpoint')!)}`,
        size && size <= 0.35),
      row('first search of a server with 100,000 documents after a stop', 'under 2 s',
        restart && `${figure(restart.stopped)} ms`, restart && restart.stopped < 2000),
      row('the same after a crash', 'under 2 s', restart && `${figure(restart.killed)} ms`,
        restart && restart.killed < 2000),
      heavyRow('median of 3 words with about 150,000 postings over 1,000,000 documents, as written', heavy?.heavyForms),
      heavyRow('the same with stemming', heavy?.heavy)],
  };
}

function speedOf(outcomes: readonly Outcome[], peer: Peer): Outcome['speed'] {
  const speed = outcomes.find((outcome) => outcome.peer === peer)?.speed;
  return speed?.complete === true ? speed : undefined;
}

function heavyRow(what: string, latency: Latency | undefined): string[] {
  return row(what, 'under 1 ms', latency && `${figure(latency.p50)} µs, ${figure(latency.matches)} matches`,
    latency && latency.p50 < 1000);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function row(what: string, target: string, measured: string | number | undefined,
  met: boolean | number | undefined): string[]
{
  return measured === undefined
    ? [what, target, 'not measured', '-']
    : [what, target, String(measured), met === true ? 'yes' : 'no'];
}
