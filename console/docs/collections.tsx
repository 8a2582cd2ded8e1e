import { useState } from 'preact/hooks';
import { getStats } from '../../generated/docs/sdk/sdk.gen.ts';
import type { Stats } from '../../generated/docs/sdk/types.gen.ts';
import { ask } from '../shared/ask.ts';
import { bytes, count, plural } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Await, Empty, Page } from '../shared/parts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { NewDocument } from './document/new.tsx';
import { collectionAt } from './places.ts';

export function CollectionsPage() {
  const stats = useLoad(async () => ask(getStats()), []);
  const [isNew, setIsNew] = useState(false);
  const about = stats.data && `${plural(stats.data.totalDocuments, 'document')} in ${plural(stats.data.collections.length, 'collection')}`;
  return (
    <Page title="Collections" about={about} actions={<>
      <a class="button" href="#/upload"><Icon name="upload" />Upload</a>
      <button class="primary" onClick={() => setIsNew(true)}><Icon name="plus" />New document</button>
    </>}>
      <Await of={stats}>{(data) => <Collections stats={data} />}</Await>
      {isNew && <NewDocument onClose={() => setIsNew(false)} />}
    </Page>
  );
}

function Collections({ stats: { collections } }: { readonly stats: Stats }) {
  if (collections.length === 0) return <Empty><p>There are no documents yet. A collection comes into being with its first document.</p><a class="button primary" href="#/upload">Upload files</a></Empty>;
  return (
    <div class="cards">
      {collections.map(({ name, documentCount, revisionCount, indexBytes }) => (
        <a class="card" key={name} href={collectionAt(name)}>
          <h2>{name}</h2>
          <div class="figure">{count(documentCount)}</div>
          <div class="muted small">{documentCount === 1 ? 'document' : 'documents'} · {plural(revisionCount, 'revision')} · {bytes(Object.values(indexBytes).reduce((sum, size) => sum + (size ?? 0), 0))} of indexes</div>
        </a>
      ))}
    </div>
  );
}
