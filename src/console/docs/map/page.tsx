import { useState } from 'preact/hooks';
import { projectVectors, searchVectors } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { count } from '../../shared/format.ts';
import { Icon } from '../../shared/icons.tsx';
import { Await, Empty, Page } from '../../shared/parts.tsx';
import { useLoad, useSettled } from '../../shared/use-load.ts';
import { collectionAt, documentAt } from '../places.ts';
import { PointMap, type MapPoint } from './point-map.tsx';

const SAMPLE = 2000;
const LIT = 10;

/** Every document is a point, and documents with similar vectors are close to each other. Search hits are highlighted. */
export function VectorMapPage({ collection }: { readonly collection: string }) {
  const [typed, setTyped] = useState('');
  const query = useSettled(typed.trim(), 250);
  const map = useLoad(async (signal) => ask(projectVectors({ signal, body: { collection, sample: SAMPLE, query: query || undefined } })), [collection, query]);
  const hits = useLoad(async (signal) => (query === '' ? new Map<string, number>() : rankOf(collection, query, signal)), [collection, query]);
  return (
    <Page title="Map" crumbs={[['Collections', '#/'], [collection, collectionAt(collection)]]} about="Documents of alike meaning lie together. Drag to move, use the wheel or two fingers to come closer.">
      <div class="stack">
        <div class="search-field"><Icon name="search" /><input type="search" aria-label="Light what is found" placeholder="Light what is found" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></div>
        <Await of={map}>{({ points, query: at, total, sampled }) => (points.length === 0 ? <Empty>No document of this collection has a vector yet. Vectors need a provider (SVC_EMBEDDING_PROVIDER).</Empty> : (
          <>
            <PointMap points={firstOfEach(points)} lit={hits.data ?? new Map()} query={at ?? undefined} onOpen={({ key, lang }) => void (location.hash = documentAt(collection, { key, lang }))} />
            <p class="muted small">{count(sampled)} of {count(total)} vectors{query !== '' && `, ${count(hits.data?.size ?? 0)} lit`}</p>
            <Found collection={collection} hits={hits.data ?? new Map()} />
          </>
        ))}</Await>
      </div>
    </Page>
  );
}

/** The hits as text, for users who cannot see the map. */
function Found({ collection, hits }: { readonly collection: string; readonly hits: ReadonlyMap<string, number> }) {
  if (hits.size === 0) return null;
  return <ol aria-label="Found">{[...hits.keys()].map((id) => <li key={id}><a href={documentAt(collection, nameOf(id))}>{nameOf(id).key}</a></li>)}</ol>;
}

async function rankOf(collection: string, query: string, signal: AbortSignal): Promise<Map<string, number>> {
  const { results } = await ask(searchVectors({ signal, body: { collection, query, limit: LIT, includeContent: false } }));
  return new Map(results.map(({ document }, rank) => [document.id, rank]));
}

/** `collection|key|lang`; no part contains the separator. */
function nameOf(id: string): { key: string; lang: string } {
  const [, key = '', lang = ''] = id.split('|');
  return { key, lang };
}

/** One point for each document: the point of its first passage. */
function firstOfEach(points: readonly { docId: string; key: string; x: number; y: number }[]): MapPoint[] {
  const first = new Map<string, MapPoint>();
  for (const { docId, x, y } of points) if (!first.has(docId)) first.set(docId, { id: docId, ...nameOf(docId), x, y });
  return [...first.values()];
}
