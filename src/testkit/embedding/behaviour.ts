import type { ServerResponse } from 'node:http';

/**
 * How a request is answered: normally, with trouble on the connection or in the body, with JSON that is unusable, or
 * with any status.
 */
export type Behaviour =
  | 'well'
  /** Never responds. */
  | 'silence'
  /** Sends the head and the first half of the body, then nothing more. */
  | 'stall'
  | 'hang-up'
  /** Breaks the connection after half a body. */
  | 'half'
  /** Sends half a body, and ends the response as if it were complete. */
  | 'broken-json'
  | 'html'
  /** A body that exceeds every limit. */
  | 'huge'
  | 'shuffled'
  | 'one-missing'
  | 'one-more'
  | 'same-index'
  | 'wrong-size'
  | 'mixed-sizes'
  | 'empty-vector'
  | 'nan'
  | 'null'
  | 'infinity'
  | 'zero'
  | 'strings'
  | 'no-embeddings'
  | 'json-null'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string | object };

type Vectors = unknown[][];

/** How the vectors of a good response are corrupted. */
const CORRUPTIONS: Partial<Record<Exclude<Behaviour, object>, (vectors: Vectors) => Vectors>> = {
  'one-missing': (vectors) => vectors.slice(1),
  'one-more': (vectors) => [...vectors, vectors[0]!],
  'wrong-size': (vectors) => vectors.map((vector) => [...vector, 0.5]),
  'mixed-sizes': ([first, ...others]) => [[...first!, 0.5], ...others],
  'empty-vector': ([, ...others]) => [[], ...others],
  null: ([first, ...others]) => [[null, ...first!.slice(1)], ...others],
  zero: ([first, ...others]) => [first!.map(() => 0), ...others],
  strings: ([first, ...others]) => [first!.map(String), ...others],
};

/** Numbers that JSON cannot represent, or not directly. */
const UNWRITABLE: Readonly<Record<string, string>> = { nan: 'NaN', infinity: '1e999' };

/** Responds according to the behaviour; `good` is the correct body. */
export function misbehave(response: ServerResponse, behaviour: Exclude<Behaviour, 'well'>, good: object): void {
  const text = JSON.stringify(good);
  const json = (body: string) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  if (typeof behaviour === 'object') return answerStatus(response, behaviour);
  if (behaviour in CORRUPTIONS) return json(JSON.stringify(corrupt(good, CORRUPTIONS[behaviour]!)));
  if (behaviour in UNWRITABLE) return json(text.replace(/(\[)(-?[\d.e-]+)/, `$1${UNWRITABLE[behaviour]}`));
  switch (behaviour) {
    case 'silence':
      return;
    case 'hang-up':
      return void response.destroy();
    case 'stall':
    case 'half':
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
      response.write(text.slice(0, text.length / 2), () => void (behaviour === 'half' && response.destroy()));
      return;
    case 'broken-json':
      return json(text.slice(0, text.length / 2));
    case 'html':
      return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
    case 'huge':
      return flood(response);
    case 'shuffled':
      return json(JSON.stringify({ ...good, data: [...(good as { data: object[] }).data].reverse() }));
    case 'same-index':
      return json(
        JSON.stringify({ ...good, data: (good as { data: object[] }).data.map((item) => ({ ...item, index: 0 })) }),
      );
    case 'no-embeddings':
      return json('{"object":"list"}');
    default:
      return json('null');
  }
}

function answerStatus(response: ServerResponse, { status, headers = {}, body = '' }: Behaviour & object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(
    typeof body === 'string' ? body : JSON.stringify(body),
  );
}

/** Sends spaces, which JSON allows everywhere, for as long as the client reads. */
function flood(response: ServerResponse): void {
  const spaces = Buffer.alloc(1024 * 1024, ' ');
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const pour = () => {
    while (!response.destroyed && response.write(spaces));
  };
  response.on('drain', pour);
  pour();
}

/** The same body with other vectors, in any of the formats. */
function corrupt(good: object, change: (vectors: Vectors) => Vectors): object {
  if ('data' in good) {
    const data = change((good.data as { embedding: unknown[] }[]).map(({ embedding }) => embedding));
    return { ...good, data: data.map((embedding, index) => ({ object: 'embedding', index, embedding })) };
  }
  if ('embeddings' in good) return { ...good, embeddings: change(good.embeddings as Vectors) };
  return 'embedding' in good ? { ...good, embedding: change([good.embedding as unknown[]])[0] } : good;
}
