import type { Random } from '../crash/random.ts';
import type { HttpClient } from '../http-client.ts';
import type { Ledger } from './ledger.ts';
import { kindOf, nameWord, sharedWords, versionOf, versionWord } from './versions.ts';
import { COLLECTION } from './writer.ts';

export interface SearchResult {
  readonly document: { readonly key: string; readonly meta: Readonly<Record<string, readonly string[]>>;
    readonly contentMd: string };
  readonly score: number;
  readonly matchedTerms: readonly string[];
  readonly highlights?: readonly { readonly fragment: string; readonly matchedTerms: readonly string[];
    readonly startOffset: number; readonly endOffset: number }[];
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly total: number;
  readonly totalMatches: number;
  readonly facets?: Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>;
}

/** Searches, and checks that each response was correct at some moment between the request and the response. */
export class Searcher {
  readonly #client: HttpClient;
  readonly #ledger: Ledger;
  readonly #random: Random;
  /** Duration of each search, in milliseconds. */
  readonly times: number[] = [];

  constructor(client: HttpClient, ledger: Ledger, random: Random) {
    this.#client = client;
    this.#ledger = ledger;
    this.#random = random;
  }

  async step(): Promise<void> {
    const version = this.#random.integer(0, 59);
    await this.#random.pick([() => this.#one(), () => this.#shared(version), () => this.#filtered(version),
      () => this.#all()])();
  }

  async search(request: object): Promise<SearchAnswer> {
    const start = performance.now();
    const answer = await this.#client.post('/v1/fts', {
      collection: COLLECTION,
      limit: 20,
      highlight: true,
      ...request,
    });
    this.times.push(performance.now() - start);
    if (answer.status !== 200) throw new Error(`a search answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    return answer.json<SearchAnswer>();
  }

  /** One document, in a state that it may have had. */
  async #one(): Promise<void> {
    const name = this.#random.pick(this.#ledger.names);
    await this.#check({ query: nameWord(name) }, [nameWord(name)], (answer, since) => {
      const found = answer.results.map(({ document }) => document.key);
      const absentMay = this.#ledger.possible(name, since).includes('absent');
      expect(found.join() === name || (found.length === 0 && absentMay),
        `${name} was acknowledged and is not found, but [${found.join()}]`);
    });
  }

  /** Words that appear and disappear with the versions. */
  async #shared(version: number): Promise<void> {
    const words = sharedWords(version);
    await this.#check({ query: words.map((word) => `+${word}`).join(' '), mode: 'boolean' }, words, () => undefined);
  }

  /** A word and a metadata value that often belong to different versions. */
  async #filtered(version: number): Promise<void> {
    const [five] = sharedWords(version);
    const kind = kindOf(this.#random.integer(0, 3));
    await this.#check({ query: five, filterMeta: { kind: [kind] }, facetBy: ['kind'] }, [five], ({ results }) => {
      for (const { document } of results)
        expect(document.meta['kind']?.[0] === kind,
          `${document.key} is ${document.meta['kind']?.join()}, searched for ${kind}`);
    });
  }

  async #all(): Promise<void> {
    await this.#check({ query: 'everywhere', facetBy: ['kind', 'lang'], limit: 1000 }, ['everywhere'],
      (answer, since) => {
        expect(answer.results.length === answer.totalMatches,
          `${answer.results.length} results of ${answer.totalMatches}`);
        const found = new Set(answer.results.map(({ document }) => document.key));
        for (const name of this.#ledger.names) {
          expect(found.has(name) || this.#ledger.possible(name, since).includes('absent'),
            `${name} was acknowledged and is not among all`);
        }
      });
  }

  async #check(request: object, words: readonly string[],
    more: (answer: SearchAnswer, since: ReadonlyMap<string, number>) => void): Promise<void>
  {
    const since = this.#ledger.now();
    const answer = await this.search(request);
    try {
      this.#checkAnswer(answer);
      for (const result of answer.results) this.#checkResult(result, words, since);
      more(answer, since);
    } catch (error) {
      throw new Error(`${JSON.stringify(request)}: ${(error as Error).message}`, { cause: error });
    }
  }

  #checkAnswer({ results, total, totalMatches, facets = {} }: SearchAnswer): void {
    expect(total === results.length && totalMatches >= total,
      `total ${total} of ${results.length} results, ${totalMatches} matches`);
    expect(new Set(results.map(({ document }) => document.key)).size === results.length, 'a document comes twice');
    expect(results.every(({ score }, i) => i === 0 || score <= results[i - 1]!.score),
      'results are not in the order of their scores');
    for (const [field, counts] of Object.entries(facets)) {
      const sum = counts.reduce((all, { count }) => all + count, 0);
      expect(sum === totalMatches, `the values of ${field} sum up to ${sum}, not to ${totalMatches}`);
    }
  }

  /** Body, metadata, terms and passages must be from one version, which the document may have had. */
  #checkResult({ document: { key, meta, contentMd }, score, matchedTerms, highlights = [] }: SearchResult,
    words: readonly string[], since: ReadonlyMap<string, number>): void
  {
    const version = Number(meta['version']?.[0]);
    expect(this.#ledger.possible(key, since).includes(version),
      `${key} is version ${version}, possible are ${this.#ledger.possible(key, since).join()}`);
    const expected = versionOf(key, version);
    expect(contentMd === expected.contentMd && JSON.stringify(meta['kind']) === JSON.stringify(expected.meta['kind']),
      `${key} mixes versions: ${contentMd} ${JSON.stringify(meta)}`);
    expect(words.every((word) => contentMd.includes(word)), `${key} version ${version} has not what was searched for`);
    expect(score > 0 && [...matchedTerms].sort().join() === [...words].sort().join(),
      `${key} version ${version}: score ${score}, terms ${matchedTerms.join()}`);
    expect(contentMd.includes(versionWord(key, version)) && highlights.length > 0,
      `${key} version ${version} has no passages`);
    for (const { startOffset, endOffset, fragment } of highlights) {
      const passage = Buffer.from(contentMd).subarray(startOffset, endOffset).toString();
      expect(fragment.replaceAll(/<\/?mark>|…/g, '') === passage,
        `${key} version ${version}: passage ${fragment} is not ${passage}`);
    }
  }
}

function expect(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
