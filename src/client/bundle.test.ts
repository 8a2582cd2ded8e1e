import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../testkit/docs-server.ts';

const LIMIT = 60 * 1024;

/** The program as a browser would load it: one file, minified. */
async function bundled(program: string): Promise<string> {
  const virtual = 'virtual:program.ts';
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [{
      name: 'program',
      resolveId: (id) => (id === virtual ? join(import.meta.dirname, 'program.ts') : undefined),
      load: (id) => (id.endsWith(join('client', 'program.ts')) ? program : undefined),
    }],
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: virtual, preserveEntrySignatures: 'strict', output: { format: 'es' } },
    },
  }) as { output: readonly { code?: string }[] };
  return result.output.map((chunk) => chunk.code ?? '').join('');
}

describe.each([['quire/client', './docs.ts'], ['quire/runs-client', './runs.ts']])('%s', (name, file) => {
  let whole = '';
  beforeAll(async () => {
    whole = await bundled(`export * from '${file}'`);
  }, 60_000);

  it(`has less than ${LIMIT / 1024} KB with everything that it exports, and nothing of a runtime or a server`, () => {
    expect(Buffer.byteLength(whole)).toBeLessThan(LIMIT);
    expect(whole).not.toMatch(/\bfrom\s*"|\bimport\s*\(|\bimport\s*"|node:|\bprocess\.|\bBuffer\b|\brequire\(/);
  });

  it('leaves out of a program what that does not use', async () => {
    const small = await bundled(
      `import { connect, ${
        name === 'quire/client' ? 'getDocument as read' : 'getRun as read'
      } } from '${file}'; globalThis.answer = connect().call(read, {})`,
    );
    expect(Buffer.byteLength(small)).toBeLessThan(Buffer.byteLength(whole) * 0.75);
    expect(small).not.toMatch(name === 'quire/client' ? /v1\/webhooks/ : /join-tokens|drain/);
  }, 60_000);
});

const OLD_NODE = '/usr/bin/node';

/** Major version of the machine's own Node; 0 where there is none. */
function majorOf(program: string): number {
  return existsSync(program) ? Number(/^v(\d+)/.exec(execFileSync(program, ['--version']).toString())?.[1] ?? 0) : 0;
}

describe('quire/client in Node 20', () => {
  let server: DocsServer;
  let folder: string;
  beforeAll(async () => {
    server = await startDocsServer({ env: { SVC_GRPC_ENABLED: 'false', SVC_MCP_ENABLED: 'false' } });
    folder = await mkdtemp(join(tmpdir(), 'quire-client-'));
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  it.skipIf(majorOf(OLD_NODE) < 20)(
    `writes, pages, exports and refuses (skipped without Node 20 or later at ${OLD_NODE})`,
    async () => {
      await writeFile(join(folder, 'client.mjs'), await bundled("export * from './docs.ts'"));
      await writeFile(join(folder, 'program.mjs'), `
      import { addDocument, connect, exportEach, getDocument, items, QuireError, searchDocuments } from './client.mjs';
      const quire = connect(process.argv[2]);
      for (const key of ['a', 'b', 'c']) await quire.call(addDocument, { body: { collection: 'blog', key, lang: 'en', contentMd: '# ' + key } });
      const keys = [];
      for await (const { key } of items(quire, searchDocuments, { body: { collection: 'blog', limit: 2 } })) keys.push(key);
      for await (const { contentMd } of exportEach(quire, { collection: 'blog' })) keys.push(contentMd);
      const error = await quire.call(getDocument, { body: { collection: 'blog', key: 'z', lang: 'en' } }).catch((thrown) => thrown);
      console.log(JSON.stringify([keys, error instanceof QuireError, error.code]));`);
      const { stdout } = await promisify(execFile)(OLD_NODE, [join(folder, 'program.mjs'), server.url]);
      expect(JSON.parse(stdout)).toEqual([['a', 'b', 'c', '# a', '# b', '# c'], true, 'not_found']);
    },
    60_000,
  );
});
