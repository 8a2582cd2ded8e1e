// Vectors that clients supply, over HTTP: import, recall, searches with and without filters by one client and by eight,
// memory. Quire beside LanceDB behind a plain server, and Chroma's own server.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chroma, type HttpPeer, lanceDb, quire, type Share, SHARES } from './peers/vectors-http/index.ts';
import { progress } from './support/progress.ts';
import { scaled } from './support/scale.ts';
import { compare, comparisons, figure, type Row, type Section } from './support/table.ts';
import { CLIENTS, type Measured, measurePeer, type MethodMeasured } from './vectors-http/measure.ts';
import { generate } from './vectors/collections.ts';
import { findTruth } from './vectors/truth.ts';

const SIZES = [{ dims: 128, count: 100_000 }, { dims: 768, count: 50_000 }] as const;
const PEERS: readonly HttpPeer[] = [lanceDb, chroma];
const NAMES: Readonly<Record<Share, string>> = { 1: 'no filter', 0.1: 'a filter of 10 %', 0.01: 'a filter of 1 %' };

export async function benchVectorsHttp(folder: string): Promise<Section[]> {
  const sections: Section[] = [];
  for (const { dims, count: full } of SIZES) {
    const count = Math.round(scaled(full, 1000));
    const here = join(folder, `vectors-http-${dims}`);
    await mkdir(here);
    progress(`writing ${count} x ${dims}`);
    const generated = generate(here, dims, count);
    const truth = join(here, 'truth.json');
    const shares = SHARES.filter((share) => share !== 1);
    await findTruth(here, { ...generated, count, metric: 'cosine', shares, out: truth });
    const measured = new Map<HttpPeer, Measured>();
    for (const peer of [quire, ...PEERS]) {
      if (peer.missing() !== undefined) continue;
      progress(`${peer.name}, ${count} x ${dims}`);
      const own = join(here, 'peer');
      await mkdir(own);
      measured.set(peer, await measurePeer(peer, own, { ...generated, count, truth }));
      await rm(own, { recursive: true });
    }
    sections.push(sectionOf(`${figure(count)} x ${dims}`, measured));
    await rm(here, { recursive: true });
  }
  return sections;
}

function sectionOf(size: string, measured: ReadonlyMap<HttpPeer, Measured>): Section {
  const ours = measured.get(quire)!;
  const rows: Row[] = [];
  for (const [peer, theirs] of measured) {
    if (peer === quire) continue;
    rows.push(compare('import, rows acknowledged', ours.importedPerSecond, peer.name, theirs.importedPerSecond, '/s'),
      compare('import, rows in the structure', ours.builtPerSecond, peer.name, theirs.builtPerSecond, '/s'),
      compare('memory after all searches', ours.resident / 1e6, peer.name, theirs.resident / 1e6, 'MB'));
    for (const method of peer.methods) {
      const own = method === 'flat' ? 'flat' : quire.methods[0]!;
      for (const share of SHARES)
        for (const clients of CLIENTS)
          rows.push(
            searchRow(ours.methods[own]!, own, theirs.methods[method]!, `${peer.name} ${method}`, share, clients),
          );
    }
  }
  return comparisons(`Vectors over HTTP, ${size}`, rows, [
    'The ten nearest by the cosine, requests that are sent one at a time over each connection; recall@10 beside ' +
    'each figure. The vectors are generated (see the part `vectors`), filters leave rows at random.',
    ...[quire, ...PEERS].map((peer) => `${peer.name}: ${peer.missing() ?? peer.note}.`),
  ]);
}

function searchRow(ours: MethodMeasured, method: string, theirs: MethodMeasured, peer: string, share: Share,
  clients: number): Row
{
  const valueOf = (measured: MethodMeasured): string =>
    `${figure(measured.perSecond[share][clients]!)} /s (${measured.recall[share].toFixed(3)})`;
  return {
    what: `${method}, ${NAMES[share]}, ${clients === 1 ? 'one client' : `${clients} clients`}`,
    value: valueOf(ours),
    peer,
    peerValue: valueOf(theirs),
    ratio: (ours.perSecond[share][clients]! / theirs.perSecond[share][clients]!).toFixed(2),
  };
}
