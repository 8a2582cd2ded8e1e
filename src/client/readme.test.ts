import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Manifest, publishedManifest } from '../codegen/manifest.ts';
import { startDocsServer } from '../testkit/docs-server.ts';
import { API_TOKEN, startRunsServer } from '../testkit/runs-server.ts';

const PACKAGES: Readonly<Record<string, string>> = { 'quire/client': 'docs.ts', 'quire/runs-client': 'runs.ts' };

let folder: string;
let examples: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-readme-'));
  examples = [...(await readFile(join(import.meta.dirname, 'README.md'), 'utf8')).matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, code]) => code!);
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs an example as a program of its own, against the service at `url`. */
async function run(example: string, address: string, url: string): Promise<string[]> {
  const file = join(folder, 'example.ts');
  const source = example.replace(address, url).replace(/from '(quire\/[a-z-]+)'/,
    (_, name: string) => `from '${pathToFileURL(join(import.meta.dirname, PACKAGES[name]!)).href}'`);
  await writeFile(file, source);
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    env: { ...process.env, QUIRE_TOKEN: API_TOKEN },
  });
  return stdout.trimEnd().split('\n');
}

describe('an example of the README', () => {
  it('works for the document service', async () => {
    const server = await startDocsServer({ env: { SVC_GRPC_ENABLED: 'false', SVC_MCP_ENABLED: 'false' } });
    expect(await run(examples[0]!, 'http://localhost:11023', server.url)).toEqual(['found hello', 'exported hello 24',
      'refused 404 not_found']);
    await server.stop();
  }, 60_000);

  it('works for the run queue', async () => {
    const server = await startRunsServer(
      "pipelines: [{name: build, steps: [{name: greet, run: 'echo hello'}]}]\nprojects: [{id: alpha, repository: " +
        'org/alpha}]\n',
    );
    const lines = await run(examples[1]!, 'http://localhost:11030', server.url);
    expect([lines.includes('hello'), lines.at(-1), examples.length]).toEqual([true, 'now succeeded', 2]);
    await server.remove();
  }, 60_000);

  it('imports what the package offers, in a checkout as well', async () => {
    const own = JSON.parse(await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as Manifest
      & { exports: Record<string, string> };
    const { exports } = own;
    expect(exports).toMatchObject({ './client': './src/client/docs.ts', './runs-client': './src/client/runs.ts' });
    for (const path of Object.values(exports))
      await expect(access(join(import.meta.dirname, '..', '..', path)), path).resolves.toBeUndefined();
    expect(Object.keys(exports).sort()).toEqual(Object.keys(publishedManifest(own)['exports'] as object).sort());
  });
});
