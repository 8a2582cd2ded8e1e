import type { Random } from '../crash/random.ts';
import type { HttpClient } from '../http-client.ts';
import type { Ledger } from './ledger.ts';
import type { SearchAnswer, Searcher } from './searcher.ts';
import { nameWord, versionOf, versionWord } from './versions.ts';

export const COLLECTION = 'soak';

/** Writes to its own documents, one request at a time, and checks immediately whether acknowledged writes are found. */
export class Writer {
  readonly #client: HttpClient;
  readonly #ledger: Ledger;
  readonly #searcher: Searcher;
  readonly #random: Random;
  readonly #names: readonly string[];
  readonly #versions = new Map<string, number>();
  readonly #alive = new Set<string>();
  writes = 0;

  constructor(client: HttpClient, ledger: Ledger, searcher: Searcher, random: Random, names: readonly string[]) {
    this.#client = client;
    this.#ledger = ledger;
    this.#searcher = searcher;
    this.#random = random;
    this.#names = names;
  }

  async step(): Promise<void> {
    const name = this.#random.pick(this.#names);
    if (!this.#alive.has(name)) await this.#put(name, 'POST', '/v1/add');
    else if (this.#random.next() < 0.25) await this.#remove(name);
    else await this.#put(name, ...this.#random.pick<[string, string]>([['POST', '/v1/add'], ['PATCH', '/v1/update']]));
  }

  async #put(name: string, method: string, path: string): Promise<void> {
    const version = (this.#versions.get(name) ?? 0) + 1;
    this.#versions.set(name, version);
    this.#ledger.begin(name, version);
    await this.#send(method, path, { key: name, ...versionOf(name, version) });
    this.#ledger.acknowledge(name);
    this.#alive.add(name);
    expectKeys(await this.#searcher.search({ query: versionWord(name, version) }), [name],
      `version ${version} of ${name}, which was acknowledged`);
    if (version > 1)
      expectKeys(await this.#searcher.search({ query: versionWord(name, version - 1) }), [],
        `version ${version - 1} of ${name}, which was replaced`);
  }

  async #remove(name: string): Promise<void> {
    this.#ledger.begin(name, 'absent');
    await this.#send('POST', '/v1/delete', { key: name });
    this.#ledger.acknowledge(name);
    this.#alive.delete(name);
    expectKeys(await this.#searcher.search({ query: nameWord(name) }), [], `${name}, whose deletion was acknowledged`);
  }

  async #send(method: string, path: string, body: object): Promise<void> {
    const answer = await this.#client.post(path, { collection: COLLECTION, lang: 'en', ...body }, method);
    if (answer.status !== 200)
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    this.writes += 1;
  }
}

function expectKeys({ results, totalMatches }: SearchAnswer, keys: readonly string[], what: string): void {
  const found = results.map(({ document }) => document.key);
  if (found.join() !== keys.join() || totalMatches !== keys.length)
    throw new Error(`${what}: found [${found.join()}] of ${totalMatches}, expected [${keys.join()}]`);
}
