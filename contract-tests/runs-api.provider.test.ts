import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Client, createClient, createConfig } from '../generated/runs/sdk/client/index.ts';
import { RunsApi, TOKEN } from '../src/testkit/runs-api.ts';
import { runs } from './scenarios/runs.ts';
import { specificationFile } from './support/examples.ts';
import { type Prism, startProxy } from './support/prism.ts';

const clientOf = (baseUrl: string): Client => createClient(createConfig({ baseUrl, auth: TOKEN }));

// Every request and response of `client` passes through a proxy that checks it against the specification.
describe('the API of runs, called through its SDK and a proxy that checks its specification', () => {
  let server: RunsApi;
  let proxy: Prism;
  beforeAll(async () => {
    server = await RunsApi.start();
    proxy = await startProxy(specificationFile('runs'), server.url);
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });

  it.each(Object.entries(runs))('%s', async (_operationId, scenario) => {
    await scenario({ client: clientOf(proxy.url), direct: clientOf(server.url), server, collection: '' });
  });
});
