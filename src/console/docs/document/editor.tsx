import { useEffect, useState } from 'preact/hooks';
import { updateDocument } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask, messageOf, RequestError } from '../../shared/ask.ts';
import { useAskBeforeLeaving } from '../../shared/leaving.ts';
import { Markdown } from '../../shared/markdown.tsx';
import { showToast } from '../../shared/toasts.tsx';
import { useSettled } from '../../shared/use-load.ts';
import { userName } from '../config.ts';
import { dropDraft, keepDraft, readDraft } from './drafts.ts';
import { MetaEditor } from './meta-editor.tsx';
import { metaOf, rowsOf } from './meta-rows.ts';
import type { DocumentTabProps } from './page.tsx';

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
      await ask(updateDocument({ body: { collection, key, lang, contentMd: text, meta: metaOf(rows), ...(checksum !== undefined && { ifChecksum: checksum }) } }));
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
        <div class="preview" role="region" aria-label="Preview" tabIndex={0}><Markdown text={preview} /></div>
      </div>
      <section><h2>Metadata</h2><MetaEditor rows={rows} onChange={setRows} /></section>
    </div>
  );
}
