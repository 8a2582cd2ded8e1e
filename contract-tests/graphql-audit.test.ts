import { serverAudits } from 'graphql-http';
import { afterAll, describe, expect, it } from 'vitest';
import { startDocsServer } from '../src/testkit/docs-server.ts';

const server = await startDocsServer();
afterAll(() => server.stop());

const audits = serverAudits({ url: `${server.url}/graphql`, fetchFn: fetch });

describe('GraphQL over HTTP, by the audits of its specification', () => {
  // MUST and SHOULD are requirements, MAY is optional; our server fulfils all of them.
  it.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_name, audit) => {
    const result = await audit.fn();
    expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok');
  });

  it('are all there', () => {
    expect(audits.length).toBeGreaterThanOrEqual(61);
  });
});
