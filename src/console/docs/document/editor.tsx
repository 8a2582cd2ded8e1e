import { useEffect, useState } from 'preact/hooks';
import { addDocument, updateDocument } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask, messageOf, RequestError } from '../../shared/ask.ts';
import { useAskBeforeLeaving } from '../../shared/router.ts';
import { attempt, showToast } from '../../shared/toasts.tsx';
import { useSettled } from '../../shared/use-load.ts';
import { userName } from '../session-life.ts';
import { Content } from './content.tsx';
import { metaOf, type MetaRow, rowsOf } from './meta-rows.ts';
import type { DocumentTabProps } from './page.tsx';
import { Icon } from '../../shared/icons.tsx';
import { Dialog, Field } from '../../shared/parts.tsx';
import { documentAt } from '../places.ts';

/** The text beside its preview. Saving is rejected if another user has changed the document meanwhile. */
export function Editor({ collection, document, onChange }: DocumentTabProps) {
  const { key, lang } = document;
  const name = JSON.stringify([collection, key, lang]);
  const [draft] = useState(() => readDraft(name, userName.value));
  const [text, setText] = useState(draft?.text ?? document.contentMd);
  const [rows, setRows] = useState(() => draft?.rows ?? rowsOf(document.meta));
  /** The version that is edited: a draft can be of an earlier one than the document. */
  const [checksum, setChecksum] = useState(draft === undefined ? document.checksum : draft.checksum);
  const isChanged = text !== document.contentMd || JSON.stringify(metaOf(rows)) !== JSON.stringify(document.meta);
  const [conflict, setConflict] = useState(isChanged && checksum !== document.checksum);
  const preview = useSettled(text, 150);
  const keep = (): void => keepDraft(name, { user: userName.value, text, rows, checksum });
  useAskBeforeLeaving(isChanged, keep);
  useEffect(() => (isChanged ? keep() : dropDraft(name)), [preview, rows]);
  const discard = (): void => {
    dropDraft(name);
    setText(document.contentMd);
    setRows(rowsOf(document.meta));
    setChecksum(document.checksum);
    setConflict(false);
  };
  const save = async (): Promise<void> => {
    try {
      await ask(updateDocument({ body: { collection, key, lang, contentMd: text, meta: metaOf(rows), ifChecksum: checksum } }));
      dropDraft(name);
      showToast('Saved');
      onChange();
    } catch (error) {
      setConflict(error instanceof RequestError && error.status === 412);
      showToast(messageOf(error), true);
    }
  };
  const onKey = (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== 's') return;
    event.preventDefault();
    if (isChanged) void save();
  };
  return (
    <div class="editor stack" onKeyDown={onKey}>
      {conflict && <div class="notice warn" role="alert">Somebody else has changed this document. Copy what you need, then <button class="plain" onClick={() => { discard(); onChange(); }}>load the new version</button>.</div>}
      <div class="row apart">
        <span class="muted small">{isChanged ? 'Not saved yet' : 'No changes'}</span>
        <div class="row">
          {isChanged && <button onClick={discard}>Discard</button>}
          <button class="primary" disabled={!isChanged} onClick={save} title="Ctrl S">Save</button>
        </div>
      </div>
      <div class="halves">
        <textarea aria-label="Markdown" spellcheck value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <div class="preview" role="region" aria-label="Preview" tabIndex={0}><Content of={{ key, meta: metaOf(rows) }} text={preview} /></div>
      </div>
      <section><h2>Metadata</h2><MetaEditor rows={rows} onChange={setRows} /></section>
    </div>
  );
}

function MetaEditor({ rows, onChange }: { readonly rows: readonly MetaRow[]; readonly onChange: (rows: MetaRow[]) => void }) {
  const put = (at: number, change: Partial<MetaRow>): void => onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  return (
    <div>
      {rows.map(({ key, values }, index) => (
        <div class="meta-row" key={index}>
          <input aria-label={`Key ${index + 1}`} placeholder="key" value={key} onInput={(event) => put(index, { key: event.currentTarget.value })} />
          <input aria-label={`Values of ${key || `key ${index + 1}`}`} placeholder="values, separated by commas" value={values} onInput={(event) => put(index, { values: event.currentTarget.value })} />
          <button class="plain icon" aria-label={`Remove ${key || `key ${index + 1}`}`} onClick={() => onChange(rows.filter((_, at) => at !== index))}><Icon name="close" /></button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...rows, { key: '', values: '' }])}><Icon name="plus" />Add a key</button>
    </div>
  );
}

/** Changes to a document that are not saved yet. */
interface Draft {
  /** Who has made them. */
  readonly user: string;
  readonly text: string;
  readonly rows: readonly MetaRow[];
  /** Of the version that was changed. */
  readonly checksum?: string | undefined;
}

const PREFIX = 'quire-draft:';

/**
 * Keeps a draft in this tab: it outlives a reload, and signing in at another site. A draft that is too large is not
 * kept.
 */
function keepDraft(name: string, draft: Draft): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch {
    dropDraft(name);
  }
}

/** The draft of this user; undefined if there is none. */
function readDraft(name: string, user: string): Draft | undefined {
  const kept = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? 'null') as Draft | null;
  return kept?.user === user ? kept : undefined;
}

function dropDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}

interface NewDocumentProps {
  readonly collection?: string;
  readonly onClose: () => void;
}

/** Creates an empty document and opens it. An existing document is not changed. */
export function NewDocument({ collection: usual = '', onClose }: NewDocumentProps) {
  const [collection, setCollection] = useState(usual);
  const [key, setKey] = useState('');
  const [lang, setLang] = useState('en');
  const create = async (): Promise<void> => {
    const done = await attempt(() => ask(addDocument({ headers: { 'If-None-Match': '*' }, body: { collection, key, lang, contentMd: `# ${key}\n` } })));
    if (!done) return;
    onClose();
    location.hash = documentAt(collection, { key, lang }, 'edit');
  };
  return (
    <Dialog title="New document" onClose={onClose}>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void create(); }}>
        <Field label="Collection"><input required value={collection} onInput={(event) => setCollection(event.currentTarget.value)} /></Field>
        <Field label="Key" hint="The name within the collection, such as guides/start"><input required autoFocus value={key} onInput={(event) => setKey(event.currentTarget.value)} /></Field>
        <Field label="Language"><input required value={lang} onInput={(event) => setLang(event.currentTarget.value)} /></Field>
        <div class="row end"><button type="button" onClick={onClose}>Cancel</button><button class="primary" type="submit">Create</button></div>
      </form>
    </Dialog>
  );
}
