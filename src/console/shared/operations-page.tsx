import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from './ask.ts';
import { Icon } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { Await, Badge, Field, Page } from './parts.tsx';
import { type Description, type Operation, operationsOf } from './operations.ts';
import { place, setQuery } from './router.ts';
import { useLoad } from './use-load.ts';
import { session } from './session.ts';

/** A request in the form that the generated client of either service accepts. */
interface FreeRequest {
  readonly method: string;
  readonly url: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface FreeAnswer {
  readonly status: number;
  readonly milliseconds: number;
  readonly text: string;
}

interface OperationsPageProps {
  /** Reads the description of the service. */
  readonly load: () => Promise<Description>;
  readonly send: (request: FreeRequest) => Promise<FreeAnswer>;
}

/** A page for trying any operation, made from the description of the service. */
export function OperationsPage({ load, send }: OperationsPageProps) {
  const operations = useLoad(async () => operationsOf(await load()), []);
  return (
    <Page title="Operations" about="Everything the service can do, to try with your own rights.">
      <Await of={operations}>{(list) => <Chooser operations={list} send={send} />}</Await>
    </Page>
  );
}

function Chooser({ operations, send }: { readonly operations: readonly Operation[]; readonly send: OperationsPageProps['send'] }) {
  const [typed, setTyped] = useState('');
  const words = typed.toLowerCase().split(/\s+/);
  const shown = operations.filter(({ id, area, path, summary }) => words.every((word) => `${id} ${area} ${path} ${summary}`.toLowerCase().includes(word)));
  const chosen = operations.find(({ id }) => id === place.value.query['operation']) ?? operations[0]!;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const entry = list.current!.querySelector<HTMLElement>('[aria-current="true"]');
    if (entry !== null) list.current!.scrollTop = entry.offsetTop - list.current!.clientHeight / 2;
  }, []);
  return (
    <div class="operations">
      <nav aria-label="Operations">
        <div class="search-field"><Icon name="search" /><input type="search" aria-label="Find an operation" placeholder="Find an operation" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></div>
        <ul ref={list} tabIndex={0} aria-label="Operations found">{shown.map(({ id, method, summary }) => (
          <li key={id}><button aria-current={id === chosen.id} onClick={() => setQuery({ operation: id })}><span class="verb">{method}</span><span>{summary}</span></button></li>
        ))}</ul>
      </nav>
      <Try key={chosen.id} operation={chosen} send={send} />
    </div>
  );
}

function Try({ operation, send }: { readonly operation: Operation; readonly send: OperationsPageProps['send'] }) {
  const { method, path, summary, description, parameters } = operation;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(operation.body);
  const [answer, setAnswer] = useState<FreeAnswer | string>();
  const submit = async (): Promise<void> => {
    setAnswer(undefined);
    const given = (where: string) => Object.fromEntries(parameters.filter((parameter) => parameter.in === where && (values[parameter.name] ?? '') !== '').map(({ name }) => [name, values[name]!]));
    try {
      setAnswer(await send({ method, url: path, path: given('path'), query: given('query'), headers: given('header'), body: body === undefined ? undefined : JSON.parse(body) as unknown }));
    } catch (error) {
      setAnswer(messageOf(error));
    }
  };
  return (
    <form class="stack" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
      <div><h2>{summary}</h2><p><Badge>{method}</Badge> <code>{path}</code></p><Markdown text={description} /></div>
      {parameters.length > 0 && (
        <div class="form">{parameters.map(({ name, required = false, in: where }) => (
          <Field key={name} label={where === 'header' ? `${name} (header)` : name}><input required={required && where === 'path'} value={values[name] ?? ''} onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })} /></Field>
        ))}</div>
      )}
      {body !== undefined && <Field label="Body"><textarea rows={Math.min(24, body.split('\n').length + 1)} spellcheck={false} value={body} onInput={(event) => setBody(event.currentTarget.value)} /></Field>}
      <div class="row"><button class="primary" type="submit"><Icon name="play" />Send</button>{typeof answer === 'object' && <><Badge tone={answer.status < 400 ? 'good' : 'bad'}>{answer.status}</Badge><span class="muted small">{answer.milliseconds} ms</span></>}</div>
      {typeof answer === 'string' && <div class="notice bad" role="alert">{answer}</div>}
      {typeof answer === 'object' && <pre class="code" role="region" aria-label="Answer" tabIndex={0}>{answer.text === '' ? '(empty)' : answer.text}</pre>}
    </form>
  );
}

/** The common part of the generated clients of both services. */
interface Caller {
  request(
    options: object,
  ): Promise<{ readonly response?: Response; readonly data?: unknown; readonly error?: unknown }>;
}

const SECURITY = [{ scheme: 'bearer', type: 'http' }, { name: 'X-API-Key', type: 'apiKey' }];

/** Longest response that is shown, in characters. */
const SHOWN = 200_000;

export async function readDescription(client: Caller): Promise<Description> {
  const { data } = await client.request({ method: 'GET', url: '/openapi.json' });
  if (data === undefined) throw new Error('the description of the service cannot be read');
  return data as Description;
}

/** Sends what the user typed through the generated client. */
export async function sendFreely(client: Caller, { body, ...request }: FreeRequest): Promise<FreeAnswer> {
  const begun = performance.now();
  const security = session.value === undefined ? [] : SECURITY;
  const { response, data, error } = await client.request({
    ...request,
    security,
    parseAs: 'text',
    ...(body !== undefined && { body, headers: { ...request.headers, 'Content-Type': 'application/json' } }),
  });
  const milliseconds = Math.round(performance.now() - begun);
  if (response === undefined) throw error instanceof Error ? error : new Error('the service cannot be reached');
  return { status: response.status, milliseconds, text: readable(data ?? error).slice(0, SHOWN) };
}

/**
 * JSON with line breaks, everything else unchanged. Errors were parsed before; a response without a body is an empty
 * object.
 */
function readable(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
