import { useState } from 'preact/hooks';
import { bytes, count, plural } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Await, Empty, Page } from '../shared/parts.tsx';
import { useLoad } from '../shared/use-load.ts';
import { isAdmin } from './session-life.ts';
import { NewDocument } from './document/editor.tsx';
import { collectionAt, type KnownCollection, readCollections } from './places.ts';

export function CollectionsPage() {
  const list = useLoad(readCollections, []);
  const [isNew, setIsNew] = useState(false);
  const about = list.data && `${plural(list.data.reduce((sum, { documentCount }) => sum + documentCount, 0), 'document')} in ${plural(list.data.length, 'collection')}`;
  return (
    <Page title="Collections" about={about} actions={<>
      <a class="button" href="#/upload"><Icon name="upload" />Upload</a>
      <button class="primary" onClick={() => setIsNew(true)}><Icon name="plus" />New document</button>
    </>}>
      <Await of={list}>{(collections) => <Collections collections={collections} />}</Await>
      {isNew && <NewDocument onClose={() => setIsNew(false)} />}
    </Page>
  );
}

function Collections({ collections }: { readonly collections: readonly KnownCollection[] }) {
  if (collections.length === 0 && !isAdmin.value) return <OpenByName />;
  if (collections.length === 0) return <Empty><p>There are no documents yet. A collection comes into being with its first document.</p><a class="button primary" href="#/upload">Upload files</a></Empty>;
  return (
    <div class="cards">
      {collections.map(({ name, documentCount, revisionCount, indexBytes }) => (
        <a class="card" key={name} href={collectionAt(name)}>
          <h2>{name}</h2>
          <div class="figure">{count(documentCount)}</div>
          <div class="muted small">{documentCount === 1 ? 'document' : 'documents'}{revisionCount !== undefined && ` · ${plural(revisionCount, 'revision')}`}{indexBytes !== undefined && ` · ${bytes(Object.values(indexBytes).reduce((sum, size) => sum + (size ?? 0), 0))} of indexes`}</div>
        </a>
      ))}
    </div>
  );
}

/** A user may be permitted to read a collection that no list shows, and can enter its name. */
function OpenByName() {
  const [name, setName] = useState('');
  return (
    <form class="empty" onSubmit={(event) => { event.preventDefault(); location.hash = collectionAt(name); }}>
      <p>The list of collections that you may read is not available. Open one by its name.</p>
      <div class="row"><div class="grow"><input required aria-label="Name of a collection" value={name} onInput={(event) => setName(event.currentTarget.value)} /></div><button type="submit">Open</button></div>
    </form>
  );
}
