import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemTimer } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { writeTinyModel } from '../../testkit/embedding/index.ts';
import { createEmbeddingProvider } from '../create-provider.ts';
import { type LocalOptions, LocalProvider } from './local-provider.ts';

const installed = (() => {
  try {
    return createRequire(import.meta.url).resolve('@huggingface/transformers') !== '';
  } catch {
    return false;
  }
})();
const WORDS = ['cat', 'dog', 'fish', 'sky', 'search', '_', 'query', 'document', ':', 'end'];

let home: string;
let model: string;
const open: LocalProvider[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-local-'));
  model = join(home, 'tiny');
  await writeTinyModel(model, { words: WORDS });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()));
});
afterAll(() => rm(home, { recursive: true, force: true }));

function start(options: Partial<LocalOptions> = {}): LocalProvider {
  const provider = new LocalProvider({
    model,
    dimensions: undefined,
    offline: true,
    cacheFolder: join(home, 'cache'),
    timer: systemTimer,
    log: silentLog,
    ...options,
  });
  open.push(provider);
  return provider;
}

/** A tiny model with files that say how its vectors are made. */
async function describedModel(name: string, files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = join(home, name);
  await writeTinyModel(folder, { words: WORDS });
  await mkdir(join(folder, '1_Pooling'));
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), JSON.stringify(content));
  return folder;
}

const dot = (a: Float32Array | undefined, b: Float32Array | undefined) =>
  a!.reduce((sum, value, i) => sum + value * b![i]!, 0);

describe('without the optional package', () => {
  it('reports how to install it, before anything is asked', () => {
    expect(() => start({ library: '@example/not-installed' })).toThrow(
      /optional package @example\/not-installed, which is not installed: npm install @example\/not-installed, or set SVC_EMBEDDING_API_URL/,
    );
  });

  it('reports a package that is there and can not be loaded', async () => {
    await expect(start({ library: 'typescript/package.json' }).embed(['a'], 'query')).rejects.toMatchObject({
      name: 'EmbeddingError',
      retryable: false,
      message: expect.stringMatching(/^typescript\/package\.json can't be loaded: /),
    });
  });
});

describe.skipIf(!installed)(
  'the model in a folder, run by @huggingface/transformers (skipped where that optional package is not installed)',
  () => {
    it('returns vectors of length 1 of the mean of the words', async () => {
      const provider = start();
      expect(provider).toMatchObject({ name: 'local', dimensions: 32, variant: 'in-process,fp32', model });
      const [cat, both, dog, again] = await provider.embed(['cat', 'Cat dog', 'dog', 'cat'], 'document');
      expect(dot(cat, cat)).toBeCloseTo(1, 5);
      expect(dot(cat, again)).toBeCloseTo(1, 5);
      expect(dot(cat, both)).toBeGreaterThan(dot(cat, dog));
    });

    it('is the provider local without a URL', async () => {
      const provider = createEmbeddingProvider({ provider: 'local', model });
      expect(await provider.embed(['cat'], 'query')).toHaveLength(1);
      expect(provider).toMatchObject({ name: 'local', model, dimensions: 32 });
      await provider.close();
    });

    it(
      'is the encoder that comes with the package where none is named, without network and whatever else is in the ' +
        'batch',
      async () => {
        const provider = start({ model: undefined });
        expect(provider).toMatchObject({ model: 'minilm-l6-v2', dimensions: 384, variant: 'in-process,q8' });
        const text = 'How do I cancel a request that is still running?';
        const [alone] = await provider.embed([text], 'query');
        const among = await provider.embed(['A longer text about something else. '.repeat(20), text, 'x',
          'Abort a fetch that is under way.'], 'document');
        const differences = alone!.map((value, i) => Math.abs(value - among[1]![i]!));
        expect(Math.max(...differences)).toBeLessThan(1e-5);
        expect(dot(alone, among[3])).toBeGreaterThan(dot(alone, among[0]) + 0.2);
      },
    );

    it('gives a text the same vector whatever texts stand beside it', async () => {
      const provider = start();
      const [alone] = await provider.embed(['cat sky'], 'document');
      const among = await provider.embed(['fish '.repeat(40), 'cat sky', 'dog'], 'document');
      expect(dot(alone, among[1])).toBeCloseTo(1, 5);
    });

    it('cuts texts that are longer than the model takes, even if its tokenizer knows no limit', async () => {
      const provider = start();
      const [long, longer] = await provider.embed([`${'cat '.repeat(100)}dog`, `${'cat '.repeat(3000)}fish`],
        'document');
      expect(dot(long, longer)).toBeCloseTo(1, 5);
    });

    it('writes prefixes before texts for a model that wants them', async () => {
      const folder = join(home, 'nomic-embed-text-tiny');
      await writeTinyModel(folder, { words: WORDS });
      const [plain, prefixed] = await Promise.all(
        [start(), start({ model: folder })].map((provider) => provider.embed(['cat', 'search_query: cat'], 'query')),
      );
      expect(dot(plain![1], prefixed![0])).toBeCloseTo(1, 5);
      expect(dot(plain![0], prefixed![0])).toBeLessThan(0.999);
    });

    it('pools tokens and writes prefixes as the files of the model say, and names both in its variant', async () => {
      const folder = await describedModel('pooled', {
        '1_Pooling/config.json': { pooling_mode_cls_token: true },
        'config_sentence_transformers.json': { prompts: { query: 'query : ', document: '' } },
      });
      const provider = start({ model: folder });
      expect(provider.variant).toMatch(/^in-process,fp32,pooling=cls,prefix=prompts-[0-9a-f]+$/);
      // The first token is the same in all texts, and the model has no layers that would mix it with others.
      const [cat, dog] = await provider.embed(['cat', 'dog'], 'document');
      expect(dot(cat, dog)).toBeCloseTo(1, 5);
      const prompted = start({
        model: await describedModel('prompted', {
          'config_sentence_transformers.json': { prompts: { query: 'query : ', document: '' } },
        }),
      });
      const plain = start();
      const [asked] = await prompted.embed(['cat'], 'query');
      expect(dot(asked, (await plain.embed(['query : cat'], 'query'))[0])).toBeCloseTo(1, 5);
      expect(dot(asked, (await prompted.embed(['cat'], 'document'))[0])).toBeLessThan(0.999);
    });

    it('gives a text the same vector by its last token, whatever texts stand beside it', async () => {
      const folder = await describedModel('last', { '1_Pooling/config.json': { pooling_mode_lasttoken: true } });
      const provider = start({ model: folder });
      expect(provider.variant).toBe('in-process,fp32,pooling=last_token');
      const [short, long] = await provider.embed(['cat', 'dog sky fish end'], 'document');
      expect(dot(short, long)).toBeCloseTo(1, 5);
    });

    it('refuses a model whose vectors would be wrong, and says why', async () => {
      const folder = await describedModel('dense', {
        'modules.json': [{ type: 'sentence_transformers.models.Dense' }],
      });
      expect(() => start({ model: folder })).toThrow(
        /dense can't be run in this process: its vectors need a layer Dense behind the transformer; choose another/,
      );
    });

    it('checks the size that was configured, and believes the vectors rather than config.json', async () => {
      await expect(start({ dimensions: 64 }).embed(['cat'], 'query')).rejects.toMatchObject({
        retryable: false,
        message: expect.stringContaining('vectors of 32 dimensions, expected 64'),
      });
      const folder = join(home, 'boaster');
      await writeTinyModel(folder, { words: WORDS, width: 16, claimedWidth: 99 });
      const provider = start({ model: folder });
      expect(provider.dimensions).toBe(99);
      await provider.embed(['cat'], 'query');
      expect(provider.dimensions).toBe(16);
    });

    it('embeds batches of 64 texts, asked at once', async () => {
      const provider = start();
      const texts = Array.from({ length: 64 }, (_, i) => WORDS.slice(0, 4).join(' ').repeat(1 + (i % 9)));
      const batches = await Promise.all([provider.embed(texts, 'document'), provider.embed(texts, 'document'),
        provider.embed(['cat'], 'query')]);
      expect(batches.map(({ length }) => length)).toEqual([64, 64, 1]);
      await expect(provider.embed([...texts, 'cat'], 'document')).rejects.toThrow('at most 64');
    });

    it('can be closed while it loads and while it works', async () => {
      const provider = start();
      const loading = expect(provider.embed(['cat'], 'query')).rejects.toThrow('closed');
      await provider.close();
      await loading;
      const other = start();
      await other.embed(['cat'], 'query');
      const working = expect(other.embed(Array<string>(64).fill('cat '.repeat(5000)), 'document')).rejects.toThrow(
        'closed',
      );
      await other.close();
      await working;
    });

    it('reports a model that is damaged', async () => {
      const folder = join(home, 'damaged');
      await writeTinyModel(folder, { words: WORDS });
      await promisify(execFile)('truncate', ['-s', '100', join(folder, 'onnx', 'model.onnx')]);
      await expect(start({ model: folder }).embed(['cat'], 'query')).rejects.toMatchObject({
        retryable: false,
        message: expect.stringMatching(/^the embedding model in .*damaged can't be loaded: /),
      });
    });

    it('neither keeps the process alive when it is idle, nor imports the library before its first use', async () => {
      const script = `
      const { LocalProvider } = await import(${JSON.stringify(new URL('./local-provider.ts', import.meta.url).href)});
      const provider = new LocalProvider({ model: ${
        JSON.stringify(model)
      }, offline: true, cacheFolder: '.', timer: { sleep: async () => {} }, log: {} });
      const native = () => process.report.getReport().sharedObjects.some((name) => name.includes('onnxruntime'));
      const before = native();
      const [vector] = await provider.embed(['cat'], 'query');
      console.log(JSON.stringify({ before, after: native(), size: vector.length }));`;
      const file = join(home, 'idle.mjs');
      await writeFile(file, script);
      const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 15_000 });
      expect(JSON.parse(stdout)).toEqual({ before: false, after: true, size: 32 });
    });
  },
);

describe.skipIf(!installed)('a model of the hub (skipped where the optional package is not installed)', () => {
  let hub: Server;
  let hubUrl: string;
  const asked: string[] = [];
  /** Folders of further models, by name. */
  const hubFolders = new Map<string, string>();
  const stuck = Promise.withResolvers<void>();

  beforeAll(async () => {
    hub = createServer((request, response) => {
      asked.push(request.url!);
      const [, name, file] = /^\/me\/(\w+)\/resolve\/main\/(.+)$/.exec(request.url!) ?? [];
      if (request.url!.startsWith('/me/stuck/')) return stuck.resolve(); // never answers
      const folder = name === 'tiny' ? model : hubFolders.get(name ?? '');
      if (file === undefined || folder === undefined) return void response.writeHead(404).end();
      readFile(join(folder, file)).then((bytes) => response.end(bytes), () => response.writeHead(404).end());
    });
    hub.listen(0, '127.0.0.1');
    await once(hub, 'listening');
    hubUrl = `http://127.0.0.1:${(hub.address() as AddressInfo).port}/`;
  });
  afterAll(() => {
    hub.closeAllConnections();
    hub.close();
  });

  it('is downloaded once, and needs no network after that', async () => {
    const cacheFolder = join(home, 'downloads');
    const first = start({ model: 'me/tiny', offline: false, cacheFolder, hubUrl });
    const [cat] = await first.embed(['cat'], 'document');
    expect(await readdir(join(cacheFolder, 'me', 'tiny'))).toEqual(
      expect.arrayContaining(['config.json', 'tokenizer.json', 'onnx']),
    );
    asked.length = 0;
    const offline = start({ model: 'me/tiny', cacheFolder, hubUrl });
    expect(offline.dimensions).toBe(32);
    expect(dot(cat, (await offline.embed(['cat'], 'document'))[0])).toBeCloseTo(1, 5);
    expect(asked).toEqual([]);
  });

  it('has a profile in small files, of which each is asked for once', async () => {
    const folder = await describedModel('profiled', {
      '1_Pooling/config.json': { pooling_mode_cls_token: true },
      'config_sentence_transformers.json': { prompts: { query: 'query : ' } },
    });
    hubFolders.set('profiled', folder);
    const cacheFolder = join(home, 'profiles');
    const options = { model: 'me/profiled', offline: false, cacheFolder, hubUrl };
    const first = start(options);
    expect(first.variant).toBe('in-process,fp32');
    await first.embed(['cat'], 'document');
    expect(first.variant).toMatch(/^in-process,fp32,pooling=cls,prefix=prompts-/);
    asked.length = 0;
    const second = start(options);
    expect(second.variant).toBe(first.variant);
    await second.embed(['cat'], 'document');
    expect(asked.filter((url) => url.endsWith('.json'))).toEqual([]);
  });

  it('that is not on this machine cannot be loaded offline', async () => {
    asked.length = 0;
    await expect(start({ model: 'me/absent', hubUrl }).embed(['cat'], 'query')).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(
        /^the embedding model me\/absent is not in .*, and downloads are forbidden \(SVC_EMBEDDING_OFFLINE\)/,
      ),
    });
    expect(asked).toEqual([]);
  });

  it('that the hub does not have fails with a message that says so', async () => {
    await expect(start({ model: 'me/absent', offline: false, hubUrl }).embed(['cat'], 'query')).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/^the embedding model me\/absent cannot be downloaded from the hub: /),
    });
  });

  it('may be loaded later if the hub cannot be reached now', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const provider = start({
      model: 'me/tiny',
      offline: false,
      cacheFolder: join(home, 'later'),
      hubUrl: `http://127.0.0.1:${port}/`,
    });
    await expect(provider.embed(['cat'], 'query')).rejects.toMatchObject({
      retryable: true,
      message: expect.stringMatching(/^the embedding model me\/tiny can't be loaded or downloaded: /),
    });
  });

  it('does not hold up closing while it is downloaded', async () => {
    const provider = start({ model: 'me/stuck', offline: false, hubUrl });
    const call = expect(provider.embed(['cat'], 'query')).rejects.toThrow('closed');
    await stuck.promise;
    await provider.close();
    await call;
  });

  it('writes downloads that take long into the log', async () => {
    const lines: object[] = [];
    const log: Log = { ...silentLog, info: (fields, message) => void lines.push({ ...fields, message }) };
    const big = join(home, 'big');
    await writeTinyModel(big, { words: Array.from({ length: 3000 }, (_, i) => `w${i}`), width: 768 });
    const server = createServer((request, response) => {
      readFile(join(big, request.url!.replace('/me/big/resolve/main/', ''))).then(
        (bytes) => response.writeHead(200, { 'Content-Length': bytes.length }).end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const provider = start({
      model: 'me/big',
      offline: false,
      hubUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      log,
    });
    await provider.embed(['w1'], 'query');
    server.closeAllConnections();
    server.close();
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.length).toBeLessThanOrEqual(11);
    expect(lines[0]).toMatchObject({
      model: 'me/big',
      file: 'model.onnx',
      bytes: 0,
      message: 'downloading the embedding model',
    });
  });
});
