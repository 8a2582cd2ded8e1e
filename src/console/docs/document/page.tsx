import { deleteDocument, getDocument } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { Document } from '../../../../generated/docs/sdk/types.gen.ts';
import { ask } from '../../shared/ask.ts';
import { type Lines, readLines } from '../../shared/lines.ts';
import { Await, Badge, Confirm, Facts, Page, Tabs, Time } from '../../shared/parts.tsx';
import { place, setQuery } from '../../shared/router.ts';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';
import { collectionAt } from '../places.ts';
import { CodeGraphView, isSource } from './code-graph.tsx';
import { Content } from './content.tsx';
import { Editor } from './editor.tsx';
import { Revisions } from './revisions.tsx';

const TABS = [['read', 'Read'], ['edit', 'Edit'], ['revisions', 'Revisions'], ['graph', 'Code graph']] as const;
type Tab = (typeof TABS)[number][0];

export interface DocumentTabProps {
  readonly collection: string;
  readonly document: Document;
  /** Called when the document has changed. */
  readonly onChange: () => void;
}

export function DocumentPage({ collection }: { readonly collection: string }) {
  const { key = '', lang = '', tab = 'read', lines } = place.value.query;
  const document = useLoad(async (signal) => ask(getDocument({ signal, body: { collection, key, lang } })), [collection, key, lang]);
  const show = (name: Tab): void => setQuery({ tab: name === 'read' ? undefined : name });
  const remove = async (): Promise<void> => {
    if (await attempt(() => ask(deleteDocument({ body: { collection, key, lang } })), `${key} was deleted`)) location.hash = collectionAt(collection);
  };
  const title = document.data?.meta['title']?.[0] ?? key;
  return (
    <Page title={title} crumbs={[['Collections', '#/'], [collection, collectionAt(collection)]]} about={title === key ? lang : `${key} · ${lang}`}
      actions={<Confirm label="Delete" icon="trash" says={`Deletes ${key} (${lang}). It can be restored for as long as the server keeps deleted documents.`} onConfirm={remove} />}>
      <Tabs label="Views of the document" value={tab as Tab} options={TABS.filter(([name]) => name !== 'graph' || isSource(document.data?.meta ?? {}))} onChange={show} />
      <Await of={document}>{(data) => {
        const tabProps = { collection, document: data, onChange: document.reload };
        if (tab === 'edit') return <Editor key={data.checksum} {...tabProps} />;
        if (tab === 'graph') return <CodeGraphView {...tabProps} />;
        return tab === 'revisions' ? <Revisions {...tabProps} /> : <Reader document={data} at={readLines(lines)} />;
      }}</Await>
    </Page>
  );
}

function Reader({ document, at }: { readonly document: Document; readonly at: Lines | undefined }) {
  const { contentMd, meta, addedAt, updatedAt, expiresAt, checksum } = document;
  return (
    <div class="split">
      <Content of={document} text={contentMd} at={at} />
      <aside class="stack" aria-label="About the document">
        <Facts of={[
          ['Changed', <Time at={updatedAt} />],
          ['Added', <Time at={addedAt} />],
          ...(expiresAt ? [['Expires', <Time at={expiresAt} />] as const] : []),
          ...(checksum === undefined ? [] : [['Checksum', <code>{checksum}</code>] as const]),
        ]} />
        {Object.entries(meta).map(([name, values]) => (
          <div key={name}>
            <div class="small muted">{name}</div>
            <div class="row">{values.map((value) => <Badge key={value}>{value}</Badge>)}</div>
          </div>
        ))}
      </aside>
    </div>
  );
}
