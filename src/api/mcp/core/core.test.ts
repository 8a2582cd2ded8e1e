import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../errors/index.ts';
import { AnswerBudget, type Caller } from '../../../operations/index.ts';
import { digestOf, StaticKeys } from '../http/authenticator.ts';
import { checkMessage } from '../messages.ts';
import { ArgumentReader, snakeCase } from './arguments.ts';
import { complete } from './completion.ts';
import { exportWindow, toUpload } from './operation-tool.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { parseResourceUri, readResource } from './resources.ts';
import { PAGE_SIZE, pageOf } from './tools.ts';

const context = { sender: { protocol: 'mcp', requestId: 'r' }, signal: new AbortController().signal } as const;

describe('the reading of arguments (decision D-116)', () => {
  const schema = {
    type: 'object',
    properties: {
      contentMd: { type: 'string' },
      topK: { type: 'integer' },
      filterMeta: { type: 'object', additionalProperties: { type: 'array' } },
      parts: { type: 'array', items: { $ref: '#/$defs/Part' } },
      shape: { oneOf: [{ properties: { innerRadius: {} } }, { $ref: '#/$defs/Part' }] },
    },
    $defs: {
      Part: { type: 'object', properties: { partName: {}, parts: { type: 'array', items: { $ref: '#/$defs/Part' } } } },
    },
  };
  const reader = new ArgumentReader(schema);

  it('follows references, lists and alternatives, and leaves free maps and unknown fields alone', () => {
    expect(reader.read({
      content_md: 'x',
      topK: 3,
      filter_meta: { content_md: ['kept'] },
      unknown_field: { part_name: 1 },
      parts: [{ part_name: 'a', parts: [{ part_name: 'b' }] }],
      shape: { inner_radius: 1, part_name: 2 },
    })).toEqual({
      contentMd: 'x',
      topK: 3,
      filterMeta: { content_md: ['kept'] },
      unknown_field: { part_name: 1 },
      parts: [{ partName: 'a', parts: [{ partName: 'b' }] }],
      shape: { innerRadius: 1, partName: 2 },
    });
  });

  it('returns the same input for every mixture of spellings', () => {
    const fields = ['contentMd', 'topK', 'filterMeta'] as const;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...fields), fc.integer()),
        fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), (input, snake) => {
        const spelled = Object.entries(input).map(([name, value], i) => [snake[i] ? snakeCase(name) : name, value]);
        expect(reader.read(Object.fromEntries(spelled) as Record<string, unknown>)).toEqual(input);
      }),
    );
  });

  it('changes no value and pollutes nothing, whatever is sent', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'parts', 'shape')),
          fc.jsonValue()),
        (args) => {
          const sent = JSON.parse(JSON.stringify(args)) as Record<string, unknown>;
          const read = reader.read(sent);
          expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
          expect(Object.keys(read).length).toBe(Object.keys(sent).length);
        },
      ),
    );
  });

  it('survives values that are nested without end', () => {
    let deep: unknown = {};
    for (let i = 0; i < 20_000; i++) deep = { parts: [deep] };
    expect(() => reader.read(deep as Record<string, unknown>)).not.toThrow();
  });
});

describe('pages', () => {
  it('together are the list, each of at most a hundred', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 450 }), (length) => {
      const all = Array.from({ length }, (_, i) => i);
      const seen: number[] = [];
      for (let cursor: string | undefined, more = true; more;) {
        const { items, nextCursor } = pageOf(all, cursor);
        expect(items.length).toBeLessThanOrEqual(PAGE_SIZE);
        seen.push(...items);
        [cursor, more] = [nextCursor, nextCursor !== undefined];
      }
      expect(seen).toEqual(all);
    }));
  });

  it.each(['', 'x', 'YXQ6MTAw', Buffer.from('at:50').toString('base64url'), Buffer.from('at:0').toString('base64url'),
    'x'.repeat(1000)])('refuse a cursor that is not theirs: %s', (cursor) => {
      expect(() => pageOf([1, 2, 3], cursor)).toThrow('cursor is not one of this server');
    });
});

describe('resources (decision D-117)', () => {
  it.each([['svc://health', { kind: 'health' }], ['svc://stats', { kind: 'stats' }], ['svc://Blog/a%20b', {
    kind: 'document',
    collection: 'Blog',
    key: 'a b',
  }], ['svc://blog/deep/../key?lang=de', { kind: 'document', collection: 'blog', key: 'deep/../key' }], [
    'svc://health/x',
    { kind: 'document', collection: 'health', key: 'x' },
  ], ['svc-search://blog?q=a%20b', { kind: 'search', collection: 'blog' }]])('%s is understood', (uri, target) => {
    expect(parseResourceUri(uri)).toMatchObject(target);
  });

  it.each(['', 'svc://', 'svc:///x', 'svc://blog', 'svc://blog/', 'http://blog/x', 'svc-search://blog/x?q=1',
    'svc://%/x', 'svc://a/%ff', 'svc://a/b#c'])('%s names nothing', (uri) => {
      expect(parseResourceUri(uri)).toBeUndefined();
    });

  it('takes the key of a document from its URI, whatever the key is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ minLength: 1, unit: 'grapheme' }),
        (collection, key) => {
          expect(parseResourceUri(`svc://${encodeURIComponent(collection)}/${encodeURIComponent(key)}`)).toMatchObject({
            kind: 'document',
            collection,
            key,
          });
        }),
    );
  });

  it('asks for the language that the URI names, else the default one', async () => {
    const asked: object[] = [];
    const invoke = async (_id: string,
      input: object) => (asked.push(input), { value: { contentMd: 'x' }, headers: {} });
    for (const uri of ['svc://blog/a', 'svc://blog/a?lang=de'])
      await readResource({ invoke, defaultLang: 'en' }, uri, context);
    expect(asked).toEqual([{ collection: 'blog', key: 'a', lang: 'en' }, { collection: 'blog', key: 'a', lang: 'de' }]);
  });

  it('hides internal errors, and reports those that the reader can correct', async () => {
    const failing = (error: Error) =>
      readResource({ invoke: () => Promise.reject(error), defaultLang: 'en' }, 'svc://blog/a', context);
    await expect(failing(new ServiceError('read_only', 'read-only mode'))).rejects.toMatchObject({
      code: -32603,
      message: 'read-only mode',
    });
    await expect(failing(new ServiceError('not_found', 'no'))).rejects.toMatchObject({ code: -32002 });
    await expect(failing(new ServiceError('internal', 'secret'))).rejects.toMatchObject({ message: 'internal error' });
  });
});

describe('prompts (decision D-118)', () => {
  it.each([false, true])('are five, each useful with its required arguments alone (for the core tools: %s)',
    (ofCore) => {
      expect(listPrompts().map(({ name }) => name)).toEqual(['analyze-collection', 'search-help',
        'summarize-collection', 'import-guide', 'rag-pipeline']);
      for (const { name, arguments: parameters } of listPrompts()) {
        const given = Object.fromEntries(
          parameters.filter(({ required }) => required).map((parameter) => [parameter.name, `the ${parameter.name}`]),
        );
        const { messages: [message] } = getPrompt(name, given, ofCore) as { messages: { content: { text: string } }[] };
        for (const value of Object.values(given)) expect(message!.content.text).toContain(value);
        expect(message!.content.text).not.toMatch(/undefined|\$\{/);
      }
    });

  it('name what is missing or too long', () => {
    expect(() => getPrompt('rag-pipeline', { question: ' ' })).toThrow('missing arguments: collection, question');
    expect(() => getPrompt('nope')).toThrow('unknown prompt: nope');
    expect(() => getPrompt('rag-pipeline', { collection: 'a', question: 'x'.repeat(5000) })).toThrow(
      'question must have at most 4096 characters',
    );
  });

  it('speak of tools that there are', async () => {
    const { tools } = await import('../../../../generated/mcp/tools.ts');
    const names = new Set(tools.map(({ name }) => name));
    const { PROMPTS } = await import('./prompts.ts');
    const { CORE_TEXTS } = await import('./prompts.ts');
    const { CORE_NAMES } = await import('../models/index.ts');
    const NO_TOOL = new Set(['filter_meta', 'top_k', 'context_token_budget', 'max_docs']);
    for (const prompt of PROMPTS) {
      for (const [word] of prompt.text({ collection: 'c', question: 'q' }).matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g))
        expect([prompt.name, word, names.has(word) || NO_TOOL.has(word)]).toEqual([prompt.name, word, true]);
    }
    for (const [name, text] of Object.entries(CORE_TEXTS)) {
      for (const [word] of text({ collection: 'c', question: 'q' }).matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g))
        expect([name, word, CORE_NAMES.includes(word) || word === 'how_to_answer']).toEqual([name, word, true]);
    }
  });
});

describe('completion (decision D-118)', () => {
  const ref = { type: 'ref/prompt', name: 'rag-pipeline' } as const;
  const stats = (names: string[]) => async () => ({
    value: { collections: names.map((name) => ({ name })) },
    headers: {},
  });

  it('offers the collections that begin so, in order, a hundred at most', async () => {
    const names = Array.from({ length: 150 }, (_, i) => `news${String(i).padStart(3, '0')}`);
    expect(
      await complete(stats(['Blog', 'news', 'bluebook']), { ref, argument: { name: 'collection', value: 'bL' } },
        context),
    ).toEqual({ completion: { values: ['Blog', 'bluebook'], total: 2, hasMore: false } });
    expect(await complete(stats(names.reverse()), { ref, argument: { name: 'collection', value: '' } }, context))
      .toMatchObject({
        completion: { total: 150, hasMore: true, values: expect.objectContaining({ length: 100 }) as unknown },
      });
  });

  it('offers what the caller may know, and nothing for other arguments', async () => {
    const invoke = async (id: string, _input: object, { budget }: Caller) => {
      if (id === 'getStats') throw new ServiceError('admin_required', 'no');
      // The size limit of a response would truncate the list from which only names are used.
      expect(budget!.take(2 ** 40)).toBe(true);
      expect(budget!.take(2 ** 40)).toBe(true);
      return { value: { configs: [{ collection: 'mine' }] }, headers: {} };
    };
    expect(await complete(invoke, { ref, argument: { name: 'collection', value: '' } }, context)).toMatchObject({
      completion: { values: ['mine'] },
    });
    expect(await complete(invoke, { ref, argument: { name: 'question', value: '' } }, context)).toMatchObject({
      completion: { values: [] },
    });
  });

  it('knows templates as well, and refuses what it does not know', async () => {
    const argument = { name: 'collection', value: '' };
    expect(
      await complete(stats(['a']), { ref: { type: 'ref/resource', uri: 'svc://{collection}/{key}' }, argument },
        context),
    ).toMatchObject({ completion: { values: ['a'] } });
    await expect(complete(stats([]), { ref: { type: 'ref/resource', uri: 'svc://nope' }, argument }, context)).rejects
      .toThrow('unknown resource template');
    await expect(complete(stats([]), { ref: { type: 'ref/prompt', name: 'nope' }, argument }, context)).rejects.toThrow(
      'unknown prompt',
    );
  });
});

describe('a window of an export', () => {
  it('is the lines from offset, however the text comes in pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: fc.constantFrom('a', 'ä', '"', ' ') }), { maxLength: 30 }),
        fc.integer({ min: 0, max: 35 }), fc.integer({ min: 1, max: 35 }), fc.integer({ min: 1, max: 9 }),
        async (texts, offset, limit, size) => {
          const lines = texts.map((text) => `${JSON.stringify({ text })}\n`);
          const bytes = Buffer.from(lines.join(''));
          async function* pieces() {
            for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
          }
          const invoke = async () => ({ value: { contentType: '', content: pieces() }, headers: {} });
          const result = await exportWindow(invoke, { collection: 'c', offset, limit }, context.sender,
            new AnswerBudget());
          const expected = lines.slice(offset, offset + limit);
          const truncated = lines.length > offset + limit;
          expect(result).toEqual({
            collection: 'c',
            count: expected.length,
            truncated,
            ndjson: expected.join(''),
            ...(truncated ? { nextOffset: offset + limit } : {}),
          });
        }),
    );
  });

  it('ends with what one response may hold, after one line at least', async () => {
    const lines = Array.from({ length: 5 }, (_, i) => `${JSON.stringify({ i, text: 'x'.repeat(400) })}\n`);
    async function* pieces() {
      yield Buffer.from(lines.join(''));
    }
    const invoke = async () => ({ value: { contentType: '', content: pieces() }, headers: {} });
    const window = (bytes: number) =>
      exportWindow(invoke, { collection: 'c', offset: 1 }, context.sender, new AnswerBudget(bytes));
    expect(await window(1000)).toMatchObject({
      count: 2,
      truncated: true,
      nextOffset: 3,
      ndjson: lines.slice(1, 3).join(''),
    });
    expect(await window(1)).toMatchObject({ count: 1, truncated: true, nextOffset: 2 });
  });

  it('ends its source when it has enough, and when nobody waits for it', async () => {
    let ended = 0;
    async function* endless() {
      try {
        for (;;) yield Buffer.from('{}\n');
      } finally {
        ended++;
      }
    }
    const invoke = async () => ({ value: { contentType: '', content: endless() }, headers: {} });
    await exportWindow(invoke, { limit: 5 }, context.sender, new AnswerBudget());
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(exportWindow(invoke, {}, { ...context.sender, signal: gone }, new AnswerBudget())).rejects.toThrow(
      'gone',
    );
    expect(ended).toBe(2);
  });
});

describe('an upload', () => {
  it('is a file of the bytes that the base64 stands for', async () => {
    const bytes = Buffer.from([0, 1, 255, 254, 10]);
    const wrapped = bytes.toString('base64').replace(/(.{4})/g, '$1\r\n');
    const { file, collection } = toUpload({ collection: 'c', filename: 'a.bin', content: wrapped }) as { file: File;
      collection: string };
    expect([collection, file.name, Buffer.from(await file.arrayBuffer())]).toEqual(['c', 'a.bin', bytes]);
  });

  it.each([[{}, 'missing fields: filename, content'], [{ filename: 'a', content: 'a' }, 'content must be base64'], [{
    filename: 'a',
    content: 'ab*=',
  }, 'content must be base64'], [{ filename: 5, content: 'aaaa' }, 'missing fields: filename']])('refuses %j',
    (input, message) => {
      expect(() => toUpload(input)).toThrow(message);
    });
});

describe('the keys of the settings', () => {
  it('are known by their digest, with their names', () => {
    const keys = new StaticKeys(['one:alice', 'two', ' three : carol:x ']);
    expect(['one', 'two', 'three', 'four', ''].map((key) => keys.find(digestOf(key))?.name)).toEqual(['alice', 'key 2',
      'carol:x', undefined, undefined]);
    expect(JSON.stringify(keys)).not.toContain('one');
  });

  it('that cannot be used are refused, without being shown', () => {
    for (const entries of [[':alice'], [' '], ['secret:a', 'secret:b']]) {
      expect(() => new StaticKeys(entries)).toThrow(/^SVC_MCP_API_KEYS: /);
      expect(() => new StaticKeys(entries)).not.toThrow(/secret/);
    }
  });
});

describe('the check of a message', () => {
  const check = (method: string, params?: unknown) =>
    checkMessage({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });

  it.each([['tools/call', undefined, 'Invalid params: missing name'], ['tools/call', { name: 5 },
    'Invalid params: params.name must be string'], ['tools/call', { name: 'x', arguments: [] },
    'Invalid params: params.arguments must be object'], ['resources/read', {}, 'Invalid params: missing uri'], [
    'prompts/get',
    { name: 'x', arguments: { a: 1 } },
    'Invalid params: params.arguments.a must be string',
  ], ['completion/complete', { ref: { type: 'ref/prompt' }, argument: { name: 'a', value: '' } },
    'Invalid params: missing ref.name'], ['tools/list', { cursor: 5 }, 'Invalid params: params.cursor must be string'],
    ['initialize', { protocolVersion: '1' }, 'Invalid params: missing capabilities'], ['anything', [],
    'Invalid params: params must be object'], ['anything', { _meta: { progressToken: {} } },
    'Invalid params: params._meta.progressToken must be string,integer']])('%s with %j is refused',
      (method, params, message) => {
        expect(() => check(method, params)).toThrow(message);
      });

  it('keeps what a method has, and drops the rest', () => {
    expect(check('tools/call', { name: 'x', task: 5, _meta: { a: 1 } })).toMatchObject({
      params: { name: 'x', _meta: { a: 1 } },
    });
    expect(check('tools/call', { name: 'x', task: 5 })['params']).not.toHaveProperty('task');
    expect(check('notifications/progress', { progress: 5 })).toMatchObject({ params: { progress: 5 } });
    expect(check('ping')).toEqual({ jsonrpc: '2.0', id: 1, method: 'ping' });
  });
});
