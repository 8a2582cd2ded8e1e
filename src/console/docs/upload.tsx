import { useRef, useState } from 'preact/hooks';
import { uploadFiles } from '../../../generated/docs/sdk/sdk.gen.ts';
import { ask, messageOf } from '../shared/ask.ts';
import { bytes } from '../shared/format.ts';
import { Icon } from '../shared/icons.tsx';
import { Badge, Field, Page, Table } from '../shared/parts.tsx';
import { place } from '../shared/router.ts';
import { showToast } from '../shared/toasts.tsx';
import { documentAt } from './places.ts';

interface Upload {
  readonly id: number;
  readonly file: File;
  readonly collection: string;
  readonly lang: string;
  /** Part that was sent. */
  readonly part: number;
  readonly state: 'waits' | 'sends' | 'stored' | 'failed';
  /** Its key, or why it failed. */
  readonly result: string;
}

const ACCEPTED = '.md,.txt,.html,.htm,.pdf,.docx,.odt,.rtf,.yaml,.yml,.log,.tex,.latex';
let last = 0;

/** Uploads files as documents, one after the other, so that a failed file does not stop the others. */
export function UploadPage() {
  const [collection, setCollection] = useState(place.value.query['collection'] ?? '');
  const [lang, setLang] = useState('en');
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const queue = useRef<Promise<void>>(Promise.resolve());
  const put = (id: number, change: Partial<Upload>): void => setUploads((before) => before.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)));
  const add = (files: Iterable<File>): void => {
    if (collection.trim() === '') return showToast('Name the collection first', true);
    const fresh = [...files].map((file): Upload => ({ id: ++last, file, collection: collection.trim(), lang, part: 0, state: 'waits', result: '' }));
    setUploads((before) => [...before, ...fresh]);
    for (const upload of fresh) queue.current = queue.current.then(() => send(upload, (change) => put(upload.id, change)));
  };
  return (
    <Page title="Upload" about="Markdown, text, HTML, PDF, Word, OpenDocument, RTF, LaTeX and YAML become markdown documents.">
      <div class="stack">
        <div class="form">
          <Field label="Collection"><input value={collection} onInput={(event) => setCollection(event.currentTarget.value)} /></Field>
          <Field label="Language"><input value={lang} onInput={(event) => setLang(event.currentTarget.value)} /></Field>
        </div>
        <DropZone onFiles={add} />
        {uploads.length > 0 && <Uploads uploads={uploads} />}
      </div>
    </Page>
  );
}

async function send({ file, collection, lang }: Upload, put: (change: Partial<Upload>) => void): Promise<void> {
  put({ state: 'sends' });
  try {
    const stored = await ask(uploadFiles({ fetch: uploadFetch((part) => put({ part })), body: { file, collection, lang } }));
    const { key, document } = 'key' in stored ? stored : stored.results[0]!;
    put({ state: 'stored', part: 1, result: key, lang: document.lang });
  } catch (error) {
    put({ state: 'failed', result: messageOf(error) });
  }
}

function DropZone({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const [isOver, setIsOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class={isOver ? 'drop over' : 'drop'} onDragOver={(event) => { event.preventDefault(); setIsOver(true); }} onDragLeave={() => setIsOver(false)}
      onDrop={(event) => { event.preventDefault(); setIsOver(false); onFiles(event.dataTransfer?.files ?? []); }}>
      <p>Drop files here, or</p>
      <button class="primary" onClick={() => input.current?.click()}><Icon name="upload" />Choose files</button>
      <input ref={input} class="visually-hidden" type="file" multiple accept={ACCEPTED} aria-label="Files" tabIndex={-1} onChange={(event) => { onFiles([...event.currentTarget.files ?? []]); event.currentTarget.value = ''; }} />
    </div>
  );
}

function Uploads({ uploads }: { readonly uploads: readonly Upload[] }) {
  return (
    <Table label="Uploads" columns={['File', 'Size#', 'Progress', 'Result']}>
      {uploads.map(({ id, file, collection, lang, part, state, result }) => (
        <tr key={id}>
          <td>{file.name}</td>
          <td class="num">{bytes(file.size)}</td>
          <td>{state === 'failed' ? <Badge tone="bad">failed</Badge> : state === 'stored' ? <Badge tone="good">stored</Badge> : <div class="progress" role="progressbar" aria-label={file.name} aria-valuenow={Math.round(part * 100)}><div style={{ width: `${part * 100}%` }} /></div>}</td>
          <td>{state === 'stored' ? <a href={documentAt(collection, { key: result, lang })}>{result}</a> : result}</td>
        </tr>
      ))}
    </Table>
  );
}

/**
 * A `fetch` that reports upload progress, which `fetch` itself cannot. It is passed to a call of the generated client.
 *
 * @param onProgress is called with the fraction of the body that was sent, 0 to 1.
 */
function uploadFetch(onProgress: (part: number) => void): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = await request.blob();
    return new Promise((resolve, reject) => {
      const exchange = new XMLHttpRequest();
      exchange.open(request.method, request.url);
      for (const [name, value] of request.headers) exchange.setRequestHeader(name, value);
      exchange.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
      exchange.onload = () =>
        resolve(new Response(exchange.responseText, {
          status: exchange.status,
          headers: { 'Content-Type': exchange.getResponseHeader('Content-Type') ?? 'application/json' },
        }));
      exchange.onerror = () => reject(new TypeError('the connection failed'));
      exchange.onabort = () => reject(new DOMException('the upload was stopped', 'AbortError'));
      request.signal.addEventListener('abort', () => exchange.abort());
      exchange.send(body);
    });
  };
}
