import { CONNECTIONS } from '../filters/over-http.ts';
import { times } from '../fulltext/tables.ts';
import { forgetful, lucene10, type Peer, quire, tantivy } from '../peers/index.ts';
import { SCALE } from '../support/scale.ts';
import { figure, type Section } from '../support/table.ts';
import { ENGINE_KINDS, type EngineKind, type InProcess } from './in-process.ts';
import type { EngineOverHttp } from './over-http.ts';

const REMEMBERED = 1.5;
const NEW = 1;
/** Microseconds in addition to a bare koa route and the engine's own time. */
const OVERHEAD = 300;
const PER_SECOND = 2500;

/** Each target and the value measured in this run. */
export function targetsOf(measured: readonly InProcess[], { quire: http, koa }: EngineOverHttp): Section {
  const rows = measured.flatMap((each) =>
    (Object.keys(ENGINE_KINDS) as EngineKind[]).flatMap((kind) => {
      const best = (totals: Totals) =>
        Math.max(perSecond(each, lucene10, kind, totals), perSecond(each, tantivy, kind, totals));
      const ratio = (peer: Peer, totals: Totals = 'kinds') => perSecond(each, peer, kind, totals) / best(totals);
      const what = `${ENGINE_KINDS[kind]}, beside the better of Lucene 10 and tantivy (${each.name}, ${
        each.texts.documents.toLocaleString('en-US')
      })`;
      return [ratioRow(what, REMEMBERED, ratio(quire), ratio(quire, 'withoutTotals')),
        ratioRow('the same with words asked for the first time', NEW, ratio(forgetful),
          ratio(forgetful, 'withoutTotals'))];
    })
  );
  const engine = measured.at(-1)!.outcomes.find(({ peer }) => peer === quire)?.speed?.kinds.or?.p50;
  const { one, perSecond: many, refused } = http.get('or')!;
  const most = engine === undefined ? undefined : koa.one.p50 + engine + OVERHEAD;
  return {
    title: `The engine beside today's best: targets${
      SCALE === 1 ? '' : ` (of a run with ${SCALE} of the documents, so they mean nothing)`
    }`,
    header: ['what', 'target', 'measured', 'met'],
    rows: [...rows,
      most === undefined
        ? ['3 words, any, over HTTP, p50', 'bare koa + engine + 300 µs', 'not measured', '-']
        : row('3 words, any, over HTTP, p50',
          `at most ${figure(most)} µs: koa's ${figure(koa.one.p50)}, the engine's ${figure(engine!)} and ${OVERHEAD}`,
          `${figure(one.p50)} µs`, one.p50 <= most),
      row(`the same by ${CONNECTIONS} connections, one process`,
        `at least ${figure(PER_SECOND)} a second, none refused`, `${figure(many)}, ${refused} refused`,
        many >= PER_SECOND && refused === 0)],
  };
}

type Totals = 'kinds' | 'withoutTotals';

/** NaN for our own unmeasured values, which omits the ratio; 0 for those of a peer, so that the other peer counts. */
function perSecond({ outcomes }: InProcess, wanted: Peer, kind: EngineKind, totals: Totals): number {
  return outcomes.find(({ peer }) => peer === wanted)?.speed?.[totals]?.[kind]?.perSecond ??
    (wanted === quire || wanted === forgetful ? NaN : 0);
}

/** Results with exact totals decide, ours and the peers'; those without are shown in addition. */
function ratioRow(what: string, least: number, exact: number, withoutTotals: number): string[] {
  const beside = Number.isFinite(withoutTotals) ? `; ${times(withoutTotals)} without totals on both sides` : '';
  return Number.isFinite(exact)
    ? row(what, `at least ${least}x`, `${times(exact)}${beside}`, exact >= least)
    : [what, `at least ${least}x`, 'not measured', '-'];
}

function row(what: string, target: string, measured: string, met: boolean): string[] {
  return [what, target, measured, met ? 'yes' : 'no'];
}
