import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../src/testkit/docs-server.ts';

const run = promisify(execFile);

const hasModule = (() => {
  try {
    execFileSync('perl', ['-MOpenAPI::Client', '-e', '1'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

let server: DocsServer;
beforeAll(async () => {
  server = await startDocsServer();
});
afterAll(() => server.stop());

describe('a client in Perl that is made of the published description', () => {
  it.skipIf(!hasModule)('adds, gets, updates and searches (skipped without OpenAPI::Client for perl)', async () => {
    const { stdout, stderr } = await run('perl', [join(import.meta.dirname, 'openapi_client.pl'), server.url]);
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual(['added perl|hello|en', 'got # Hello from Perl', 'updated perl|hello|en',
      'found # <mark>Hello</mark> from Perl', 'read the metadata of Hello', 'refused not found',
      'held back /body/key, /body/lang']);
  }, 60_000);
});
