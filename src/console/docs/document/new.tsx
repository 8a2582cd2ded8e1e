import { useState } from 'preact/hooks';
import { addDocument } from '../../../../generated/docs/sdk/sdk.gen.ts';
import { ask } from '../../shared/ask.ts';
import { Dialog, Field } from '../../shared/parts.tsx';
import { attempt } from '../../shared/toasts.tsx';
import { documentAt } from '../places.ts';

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
