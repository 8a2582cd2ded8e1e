import { listRevisions, restoreRevision, searchDocuments } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { ProjectedDocument } from '../../../../generated/docs/sdk/types.gen.ts';
import { ask, askWithResponse } from '../../shared/ask.ts';
import { count } from '../../shared/format.ts';
import { Await, Empty, Page, Table, Time } from '../../shared/parts.tsx';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';
import { collectionAt, documentAt } from '../places.ts';

const SHOWN = 100;

/** Deleted documents that the server still keeps. */
export function DeletedPage({ collection }: { readonly collection: string }) {
  const list = useLoad(async (signal) => {
    const { data, response } = await askWithResponse(searchDocuments({ signal, body: { collection, deleted: true, limit: SHOWN, includeContent: false } }));
    return { documents: data, total: Number(response.headers.get('X-Total-Count') ?? data.length) };
  }, [collection]);
  return (
    <Page title="Deleted documents" crumbs={[['Collections', '#/'], [collection, collectionAt(collection)]]} about="They can be restored until the server removes them permanently.">
      <Await of={list}>{({ documents, total }) => (documents.length === 0 ? <Empty>No deleted document is kept.</Empty> : (
        <div class="stack">
          {total > documents.length && <p class="muted">The first {count(documents.length)} of {count(total)}.</p>}
          <Table label="Deleted documents" columns={['Document', 'Language', 'Deleted', '']}>
            {documents.map((document) => <Deleted key={document.id} collection={collection} document={document} />)}
          </Table>
        </div>
      ))}</Await>
    </Page>
  );
}

function Deleted({ collection, document: { key, lang, meta = {}, deletedAt } }: { readonly collection: string; readonly document: ProjectedDocument }) {
  const restore = (): Promise<unknown> => attempt(async () => {
    const { revisions: [newest] } = await ask(listRevisions({ body: { collection, key, lang, limit: 1 } }));
    if (newest === undefined) throw new Error(`no revision of ${key} is kept`);
    await ask(restoreRevision({ body: { collection, key, lang, revision: newest.revision } }));
    location.hash = documentAt(collection, { key, lang });
  }, `${key} was restored`);
  const title = meta['title']?.[0];
  return (
    <tr>
      <td>{title ?? key}{title !== undefined && <div class="small muted">{key}</div>}</td>
      <td>{lang}</td>
      <td><Time at={deletedAt} /></td>
      <td><div class="row end"><button onClick={restore}>Restore</button></div></td>
    </tr>
  );
}
