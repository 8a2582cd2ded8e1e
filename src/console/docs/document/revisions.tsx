import { useState } from 'preact/hooks';
import { listRevisions, restoreRevision } from '../../../../generated/docs/sdk/sdk.gen.ts';
import type { Revision } from '../../../../generated/docs/sdk/types.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Diff } from '../../shared/diff.tsx';
import { dateTime } from '../../shared/format.ts';
import { Await, Confirm, Empty, Time } from '../../shared/parts.tsx';
import { attempt } from '../../shared/toasts.tsx';
import { useLoad } from '../../shared/use-load.ts';
import type { DocumentTabProps } from './page.tsx';

const NEWEST = 50;

/** Compares each stored version with the current one. */
export function Revisions({ collection, document, onChange }: DocumentTabProps) {
  const { key, lang, checksum } = document;
  const list = useLoad(async (signal) => ask(listRevisions({ signal, body: { collection, key, lang, limit: NEWEST } })), [collection, key, lang, checksum]);
  const [chosen, setChosen] = useState<number>();
  const restore = (revision: number): Promise<unknown> => attempt(async () => {
    await ask(restoreRevision({ body: { collection, key, lang, revision, ifChecksum: checksum } }));
    onChange();
  }, `Revision ${revision} was restored`);
  return (
    <Await of={list}>{({ revisions, total }) => {
      if (revisions.length === 0) return <Empty>No revision of this document is kept.</Empty>;
      const shown = revisions.find(({ revision }) => revision === chosen) ?? revisions.find(({ contentMd }) => contentMd !== document.contentMd) ?? revisions[0]!;
      return (
        <div class="revisions">
          <nav aria-label="Revisions">
            <ol>{revisions.map(({ revision, timestamp }) => (
              <li key={revision}><button aria-current={revision === shown.revision} onClick={() => setChosen(revision)}><span>Revision {revision}</span><span class="small muted"><Time at={timestamp} /></span></button></li>
            ))}</ol>
            {total > revisions.length && <p class="small muted">The newest {revisions.length} of {total}.</p>}
          </nav>
          <Comparison revision={shown} document={document} onRestore={() => restore(shown.revision)} />
        </div>
      );
    }}</Await>
  );
}

interface ComparisonProps {
  readonly revision: Revision;
  readonly document: DocumentTabProps['document'];
  readonly onRestore: () => unknown;
}

function Comparison({ revision: { revision, updatedAt, contentMd, meta }, document, onRestore }: ComparisonProps) {
  return (
    <div class="stack">
      <div class="row apart">
        <span><strong>Revision {revision}</strong> <span class="muted">of {dateTime(updatedAt)}, beside the document of today</span></span>
        <Confirm label="Restore" says={`Makes revision ${revision} the document of today. What it is now stays as a revision.`} onConfirm={onRestore} />
      </div>
      <Diff label="Text" before={contentMd} after={document.contentMd} />
      {JSON.stringify(meta) !== JSON.stringify(document.meta) && <><h3>Metadata</h3><Diff label="Metadata" before={linesOf(meta)} after={linesOf(document.meta)} /></>}
    </div>
  );
}

const linesOf = (meta: Readonly<Record<string, readonly string[]>>): string => Object.entries(meta).map(([key, values]) => `${key}: ${values.join(', ')}`).sort().join('\n');
