import { CONNECTIONS, type OverHttp } from '../filters/over-http.ts';
import { times } from '../fulltext/tables.ts';
import { figure, type Section } from '../support/table.ts';
import { ENGINE_KINDS, type EngineKind, type InProcess } from './in-process.ts';
import type { EngineOverHttp } from './over-http.ts';

const KINDS = Object.keys(ENGINE_KINDS) as EngineKind[];

export function tablesOf(measured: readonly InProcess[], http: EngineOverHttp): Section[] {
  return [...measured.map(inProcess), overHttpSection(measured.at(-1)!, http)];
}

function inProcess({ name, texts, outcomes }: InProcess): Section {
  const shown = outcomes.filter(({ speed }) => speed !== undefined);
  const ours = outcomes[0]!.speed;
  return {
    title: `The engine beside today's best, ${name}: ${texts.documents.toLocaleString('en-US')} documents, ${
      figure(texts.bytes / 1e6)
    } MB, best 10, one thread, in process`,
    header: ['queries a second with exact totals / without totals, and how many times as many are ours',
      ...shown.map(({ peer }) => peer.name)],
    rows: KINDS.map((kind) => [ENGINE_KINDS[kind], ...shown.map((outcome) => {
      const [exact, without] = [outcome.speed!.kinds[kind], outcome.speed!.withoutTotals?.[kind]];
      const mine = ours?.kinds[kind];
      if (exact === undefined) return '-';
      const ratio = outcome.speed === ours || mine === undefined ? '' : ` (${times(mine.perSecond / exact.perSecond)})`;
      return `${figure(exact.perSecond)}${without === undefined ? '' : ` / ${figure(without.perSecond)}`}${ratio}`;
    })]),
    notes: outcomes.flatMap(({ peer, failure }) => [`${peer.name}: ${failure ?? peer.note}.`]),
  };
}

function overHttpSection({ texts }: InProcess, { quire, koa, peers }: EngineOverHttp): Section {
  const served = peers.filter(({ http }) => http !== undefined);
  const cell = ({ one, perSecond, refused }: OverHttp) =>
    `${figure(one.p50)}; ${figure(perSecond)}${refused === 0 ? '' : `, ${refused} refused`}`;
  return {
    title: `The engine over HTTP: ${
      texts.documents.toLocaleString('en-US')
    } documents, best 10, keys only, exact totals`,
    header: [`p50 in microseconds of one connection; answers a second of ${CONNECTIONS}`, 'Quire',
      ...served.map(({ peer }) => peer.name)],
    rows: [
      ...KINDS.map((
        kind,
      ) => [ENGINE_KINDS[kind], cell(quire.get(kind)!), ...served.map(({ http }) => cell(http!.get(kind)!))]),
      ['3 words, any, the best reranked as is the default', cell(quire.get('reranked')!), ...served.map(() => '-')],
      ['a bare koa route that answers with the same bytes', cell(koa), ...served.map(() => '-')],
    ],
    notes: [
      'Quire is one process with one thread for requests, the peers have a thread for each processor. The client ' +
      'shares the processors with the server.',
      ...peers.flatMap(({ peer, failure }) => (failure === undefined ? [] : [`${peer.name}: ${failure}`])),
    ],
  };
}
