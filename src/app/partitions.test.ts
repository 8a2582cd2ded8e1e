import { afterAll, beforeAll, describe, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../testkit/docs-server.ts';
import { HttpClient } from '../testkit/http-client.ts';
import { expectSameAnswers, expectSameCompletions, OneAndMany } from '../testkit/partitions/collections.ts';
import { Choices } from '../testkit/partitions/requests.ts';

// oxlint-disable-next-line node/no-process-env -- switches of the test, and no settings of the service
const { QUIRE_PARTITION_REQUESTS = '150', QUIRE_PARTITION_SEED = '45' } = process.env;

describe('a collection in partitions', () => {
  const random = new Choices(Number(QUIRE_PARTITION_SEED));
  let server: DocsServer;
  let http: HttpClient;

  beforeAll(async () => {
    server = await startDocsServer({ clock: { now: () => 1_766_400_000_000 } });
    http = new HttpClient(server.url);
    await new OneAndMany(server, http, 3).fill(random);
  });
  afterAll(async () => {
    http.close();
    await server.stop();
  });

  it('answers every search as one without them does', () =>
    expectSameAnswers(http, random, Number(QUIRE_PARTITION_REQUESTS), `seed ${QUIRE_PARTITION_SEED}`));

  it('completes words as one without them does', () => expectSameCompletions(http));
});
