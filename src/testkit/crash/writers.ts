import { type Answer, HttpClient } from '../http-client.ts';
import { type Random, seededRandom } from './random.ts';
import { DIMENSIONS, FIELD, versionOf } from './versions.ts';
import type { State, WriteModel } from './write-model.ts';

const COLLECTIONS = 3;
const KEYS_PER_WRITER = 24;

export interface WritersOptions {
  readonly url: string;
  readonly model: WriteModel;
  readonly seed: number;
  readonly count: number;
  /** Called for a response that is not a success. By default, it fails the test. */
  readonly onRefusal?: (answer: Answer) => void;
}

export const collections = Array.from({ length: COLLECTIONS }, (_, i) => `crash${i}`);

/** The name of a document in the model. */
export const nameOf = (collection: string, key: string): string => `${collection}/${key}`;

/**
 * Clients that write concurrently. Each sends one request at a time and writes to its own documents, so that the order
 * of writes to a document is known.
 */
export class Writers {
  readonly #options: WritersOptions;
  readonly #client: HttpClient;
  readonly #running: Promise<void>[];
  #stopped = false;
  static #version = 0;

  constructor(options: WritersOptions) {
    this.#options = options;
    this.#client = new HttpClient(options.url, options.count);
    this.#running = Array.from({ length: options.count }, (_, i) => this.#write(i, seededRandom(options.seed + i)));
  }

  /** Lets each finish its request. Rejects if there was a response that the server must not send. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
    this.#client.close();
  }

  async #write(writer: number, random: Random): Promise<void> {
    const collection = collections[writer % COLLECTIONS]!;
    if (!(await this.#send(collection, declareVectors))) return;
    const keys = Array.from({ length: KEYS_PER_WRITER }, (_, i) => `Writer-${writer}/Document ${i}`);
    while (!this.#stopped) {
      const request = this.#choose(collection, keys, random);
      if (!(await this.#send(collection, request))) return;
    }
  }

  /** Makes one attempt; returns false if the connection broke, after which nothing is known about the request. */
  async #send(collection: string, { method, path, body, outcome }: WriteRequest): Promise<boolean> {
    const { model, onRefusal } = this.#options;
    const states = [...outcome].map(([key, state]) => [nameOf(collection, key), state] as const);
    for (const [name, state] of states) model.begin(name, state);
    const answer = await this.#client.post(path, { collection, ...body }, method).catch(() => undefined);
    if (answer === undefined) return false;
    if (answer.status !== 200) {
      if (onRefusal === undefined)
        throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
      onRefusal(answer);
    }
    const failed = answer.status === 200 ? failedItems(answer) : new Set(states.keys());
    if (failed.size > 0 && onRefusal === undefined)
      throw new Error(`${method} ${path} failed in part: ${answer.text.slice(0, 500)}`);
    for (const [i, [name, state]] of states.entries()) {
      if (failed.has(i)) model.refuse(name, state);
      else model.acknowledge(name, state);
    }
    return true;
  }

  #choose(collection: string, keys: readonly string[], random: Random): WriteRequest {
    const key = random.pick(keys);
    const chance = random.next();
    if (chance < 0.25) return addBatch(some(keys, random).map((name) => ({ name, version: ++Writers.#version })));
    if (!this.#options.model.exists(nameOf(collection, key)) || chance < 0.55) return add(key, ++Writers.#version);
    if (chance < 0.8) return update(key, ++Writers.#version);
    return remove(key);
  }
}

interface WriteRequest {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  /** The state of each document after the request. */
  readonly outcome: ReadonlyMap<string, State>;
}

/** The items of a batch that were not stored: each line of `errors` begins with the index (decision D-67). */
function failedItems(answer: Answer): Set<number> {
  const { errors } = answer.json<{ errors?: string[] }>();
  return new Set((errors ?? []).map((line) => Number.parseInt(line, 10)));
}

/** The field of vectors that every version has; no document changes. */
const declareVectors: WriteRequest = {
  method: 'PUT',
  path: '/v1/collection-config',
  body: { vectors: { [FIELD]: { dimensions: DIMENSIONS } } },
  outcome: new Map(),
};

function add(key: string, version: number): WriteRequest {
  return {
    method: 'POST',
    path: '/v1/add',
    body: { key, lang: 'en', ...versionOf(version) },
    outcome: new Map([[key, version]]),
  };
}

function addBatch(items: readonly { name: string; version: number }[]): WriteRequest {
  const documents = items.map(({ name, version }) => ({ key: name, lang: 'en', ...versionOf(version) }));
  return {
    method: 'POST',
    path: '/v1/add-batch',
    body: { documents },
    outcome: new Map(items.map(({ name, version }) => [name, version])),
  };
}

function update(key: string, version: number): WriteRequest {
  return {
    method: 'PATCH',
    path: '/v1/update',
    body: { key, lang: 'en', ...versionOf(version) },
    outcome: new Map([[key, version]]),
  };
}

function remove(key: string): WriteRequest {
  return {
    method: 'POST',
    path: '/v1/delete',
    body: { key, lang: 'en' },
    outcome: new Map([[key, 'absent' as const]]),
  };
}

/** A sequence of 2 to 12 adjacent keys. */
function some(keys: readonly string[], random: Random): string[] {
  const from = random.integer(0, keys.length - 2);
  return keys.slice(from, from + random.integer(2, 12));
}
