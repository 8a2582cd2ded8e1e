import { expect } from 'vitest';
import type { Answer, HttpClient } from '../../src/testkit/http-client.ts';

/** The collection that the specification's examples name; bad requests use it. */
const TARGET = 'blog';
/** A collection that no request of the tests names, so it must never change. */
const BYSTANDER = 'bystander';

/** The state that requests could damage, as the server itself reports it. */
export class WatchedState {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /**
   * Fills both collections again. Removes embedding configurations, because a default one would lead to calls of a
   * provider.
   */
  async seed(): Promise<void> {
    const { configs } = (await this.#ask('GET', '/v1/embedding-configs')).json<{ configs: { id: string }[] }>();
    for (const { id } of configs) await this.#client.send('DELETE', `/v1/embedding-configs/${id}`);
    await this.#ask('POST', '/v1/schema/delete', { collection: TARGET });
    await this.#ask('DELETE', `/v1/collection-config?collection=${TARGET}`);
    for (const collection of [TARGET, BYSTANDER]) {
      const meta = { category: ['news'], tags: ['release', 'api'] };
      const documents = ['hello-world', 'second-post'].map((key) => ({ key, lang: 'en', meta, contentMd: `# ${key}` }));
      await this.#ask('POST', '/v1/add-batch', { collection, documents });
    }
    await this.#ask('PUT', '/v1/collection-config', { collection: BYSTANDER, type: 'website', maxRevisions: 50 });
    await this.#ask('POST', '/v1/schema/set', { collection: BYSTANDER, schema: { required: ['category'] } });
  }

  /** The state that a rejected request must not change. */
  async everything(): Promise<string> {
    await this.#jobsEnded();
    const paths = [`/v1/checksum?collection=${TARGET}`, `/v1/checksum?collection=${BYSTANDER}`,
      '/v1/collection-configs'];
    const answers = [...(await Promise.all(paths.map((path) => this.#ask('GET', path)))),
      await this.#ask('POST', '/v1/schema/list', {})];
    return answers.map(({ text }) => text).join('\n');
  }

  /** The state that even a successful request must not change. */
  async bystander(): Promise<string> {
    await this.#jobsEnded();
    const [checksum, config, schema] = await Promise.all([this.#ask('GET', `/v1/checksum?collection=${BYSTANDER}`),
      this.#ask('GET', `/v1/collection-config?collection=${BYSTANDER}`),
      this.#ask('POST', '/v1/schema/get', { collection: BYSTANDER })]);
    return [checksum, config, schema].map(({ text }) => text).join('\n');
  }

  /** Waits for accepted jobs: a job writes later, and its writes must not be attributed to the next request. */
  async #jobsEnded(): Promise<void> {
    const isOpen = ({ status }: { status: string }): boolean => status === 'pending' || status === 'processing';
    await expect.poll(
      async () =>
        (await this.#ask('GET', '/v1/bulk-ingest-jobs')).json<{ jobs: { status: string }[] }>().jobs.filter(isOpen),
      { timeout: 10_000, interval: 10 },
    ).toEqual([]);
  }

  async #ask(method: string, path: string, body?: object): Promise<Answer> {
    const answer = body === undefined
      ? await this.#client.send(method, path)
      : await this.#client.post(path, body, method);
    expect([answer.status, answer.text], `${method} ${path}`).toEqual([200, expect.any(String)]);
    return answer;
  }
}

/** Every rejection has a 4xx status and a body that says what is wrong. */
export function expectRefusal(answer: Answer): void {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  const body = answer.json<{ error: string; code: string; requestId: string }>();
  expect(body).toMatchObject({
    error: expect.stringMatching(/\S/),
    code: expect.stringMatching(/^[a-z_]+$/),
    requestId: answer.headers['x-request-id'],
  });
  expect(body.error.length).toBeLessThan(10_000);
  expect(answer.text, 'a message gives nothing of the machine away').not.toMatch(/node_modules|\.ts:\d|\/src\//);
}
