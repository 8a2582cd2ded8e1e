import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DocsServer, startDocsServer } from '../../../testkit/docs-server.ts';
import { encode, GrpcClient } from '../../../testkit/grpc-client.ts';
import { bzip2 } from '../../../testkit/wiki/bzip2-encoder.ts';
import { DUMP_HEAD, type DumpPage, dumpXml, pageXml } from '../../../testkit/wiki/dump.ts';

const PAGES: readonly DumpPage[] = [{
  title: 'Leuchtturm',
  text: "'''Leuchtturm''' am [[Hafen (Kiel)|Hafen]].\n\n[[Kategorie:Türme]]",
}, { title: 'Turm', text: '#REDIRECT [[Leuchtturm]]', redirect: 'Leuchtturm' }, {
  title: 'Diskussion:Leuchtturm',
  ns: 1,
  text: 'Wie hoch?',
}, { title: 'AC/DC & <more>', text: '{{Infobox Band|Land=[[Australien]]}}Musik' }];

/** Writes to a connection without waiting. */
function openUpload(url: string): ReturnType<typeof request> {
  const upload = request(url, { method: 'POST', headers: { 'content-type': 'application/octet-stream' } });
  upload.on('error', () => undefined);
  return upload;
}

describe('POST /v1/import-wiki (contract section 4)', () => {
  let server: DocsServer;
  let files: Server;
  beforeAll(async () => {
    server = await startDocsServer({
      env: { SVC_WIKI_MAX_PAGES: '40', SVC_WIKI_MAX_BYTES: '400KiB', SVC_MCP_ADDR: '127.0.0.1:0' },
    });
    files = createServer((call, answer) =>
      void (call.url === '/dump.xml' ? answer.end(dumpXml(PAGES)) : answer.writeHead(404).end())
    ).listen(0, '127.0.0.1');
    await once(files, 'listening');
  });
  afterAll(async () => {
    files.close();
    await server.stop();
  });
  let number = 0;
  let collection = 'c0';
  afterEach(() => {
    expect(server.errors).toEqual([]);
    collection = `c${++number}`;
  });

  const urlOf = (query: object = {}) =>
    `${server.url}/v1/import-wiki?${new URLSearchParams({ collection, lang: 'de', ...query })}`;
  const send = async (body: string | Uint8Array, query: object = {}, type = 'application/octet-stream') => {
    const response = await fetch(urlOf(query), {
      method: 'POST',
      headers: { 'content-type': type },
      body: body as string,
    });
    return { status: response.status, ...(await response.json()) as Record<string, unknown> };
  };
  const sendForm = async (parts: readonly (readonly [string, string | Blob])[]) => {
    const form = new FormData();
    for (const [name, value] of parts) form.append(name, value);
    const response = await fetch(`${server.url}/v1/import-wiki`, { method: 'POST', body: form });
    return { status: response.status, ...(await response.json()) as Record<string, unknown> };
  };
  const get = async (key: string) =>
    (await fetch(`${server.url}/v1/get`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ collection, key, lang: 'de' }),
    })).json() as Promise<{ key: string; contentMd: string; meta: Record<string, string[]> }>;
  const keys = async () =>
    (await (await fetch(`${server.url}/v1/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ collection, limit: 1000 }),
    })).json() as { key: string }[]).map(({ key }) => key);
  const counts = {
    collection: expect.any(String) as string,
    durationMs: expect.any(Number) as number,
    errors: [] as string[],
    profile: 'default',
  };

  it('stores the articles as markdown, with what the dump says of them', async () => {
    expect(await send(dumpXml(PAGES))).toEqual({ status: 200, imported: 3, skipped: 1, failed: 0, ...counts });
    const page = await get('Leuchtturm');
    expect(page.contentMd).toBe('# Leuchtturm\n\n**Leuchtturm** am [Hafen](Hafen_%28Kiel%29).');
    expect(page.meta).toEqual({
      source: ['wikipedia'],
      wiki_id: ['1'],
      wiki_title: ['Leuchtturm'],
      wiki_ns: ['0'],
      wiki_rev_id: ['10'],
      wiki_timestamp: ['2024-01-02T03:04:05Z'],
      wiki_contributor: ['Ada'],
      wiki_category: ['Türme'],
    });
    expect(await get('Turm')).toMatchObject({
      contentMd: '# Turm\n\nRedirect to [Leuchtturm](Leuchtturm).',
      meta: { wiki_redirect: ['Leuchtturm'] },
    });
    expect(await get('AC/DC_&_<more>')).toMatchObject({
      contentMd: '# AC/DC & \\<more>\n\nMusik',
      meta: { infobox: ['band'], infobox_land: ['Australien'] },
    });
  });

  it('recognizes the compression of a dump by its content', async () => {
    for (const packed of [bzip2(Buffer.from(dumpXml(PAGES))), gzipSync(dumpXml(PAGES)),
      Buffer.concat([bzip2(Buffer.from(DUMP_HEAD)), bzip2(Buffer.from(dumpXml(PAGES).slice(DUMP_HEAD.length)))])])
    {
      expect(await send(packed, { filename: 'wrong.txt' })).toMatchObject({ status: 200, imported: 3 });
    }
    expect(await send(bzip2(Buffer.from(dumpXml(PAGES))), {}, 'application/x-bzip2')).toMatchObject({ imported: 3 });
  });

  it('takes a form, whose fields come before the file', async () => {
    const file = new Blob([bzip2(Buffer.from(dumpXml(PAGES)))]);
    expect(
      await sendForm([['collection', collection], ['lang', 'de'], ['namespaces', '0, 1'], ['skipRedirects', 'true'], [
        'batchSize',
        '1',
      ], ['file', file]]),
    ).toMatchObject({ status: 200, imported: 3, skipped: 1 });
    expect(await sendForm([['collection', collection], ['file', file]])).toMatchObject({
      status: 400,
      code: 'missing_fields',
      error: 'missing fields: lang',
    });
    expect(await sendForm([['collection', collection], ['lang', 'de']])).toMatchObject({
      status: 400,
      error: 'missing fields: file',
    });
    expect(await sendForm([['collection', collection], ['lang', 'de'], ['dump', file]])).toMatchObject({
      status: 400,
      error: 'the form must have its file in the part file, got dump',
    });
    expect(await sendForm([['collection', collection], ['lang', 'de'], ['maxPages', 'many'], ['file', file]]))
      .toMatchObject({ status: 400, error: expect.stringContaining('maxPages must be') as string });
  });

  it('ends after maxPages, and leaves out what is asked for', async () => {
    expect(await send(dumpXml(PAGES), { maxPages: '1' })).toMatchObject({ status: 200, imported: 1 });
    expect(await send(dumpXml(PAGES), { namespaces: '1' })).toMatchObject({ status: 200, imported: 1, skipped: 3 });
    expect(await send(dumpXml(PAGES), { profile: 'fast' })).toMatchObject({ imported: 2, skipped: 2, profile: 'fast' });
    expect(await keys()).toHaveLength(4);
  });

  it('keeps pages apart whose titles differ by case only, also when they are imported again', async () => {
    const dump = dumpXml([{ title: 'AIDS', text: 'one' }, { title: 'Aids', text: 'two' }, {
      title: 'aids',
      text: 'three',
      redirect: 'AIDS',
    }]);
    for (let i = 0; i < 2; i++) expect(await send(dump)).toMatchObject({ imported: 2, skipped: 1 });
    expect((await keys()).sort()).toEqual(['AIDS', 'Aids~2']);
    expect(await get('Aids~2')).toMatchObject({ contentMd: '# Aids\n\ntwo' });
  });

  it.each([['XML of another kind', '<feed/>', /expected the export of a MediaWiki, found <feed>/], ['a document type',
    '<!DOCTYPE mediawiki [<!ENTITY x SYSTEM "file:///etc/passwd">]><mediawiki>&x;</mediawiki>',
    /the XML has a document type/], ["an entity that is not XML's",
    '<mediawiki><page><title>&x;</title></page></mediawiki>', /the XML is wrong/], ['no XML', 'hello',
    /the XML is wrong/], ['nothing', '', /the dump is empty/], ['nesting', '<mediawiki>'.repeat(30), /nested deeper/], [
    'damaged bzip2',
    Buffer.concat([Buffer.from('BZh9'), Buffer.alloc(100, 7)]),
    /the dump is damaged/,
  ], ['damaged gzip', Buffer.concat([gzipSync('x').subarray(0, 10), Buffer.alloc(100, 7)]), /the dump is damaged/]])(
    'refuses %s',
    async (_, body, reason) => {
      expect(await send(body)).toMatchObject({
        status: 400,
        code: 'invalid_argument',
        error: expect.stringMatching(reason) as string,
        imported: 0,
      });
    },
  );

  it('keeps the pages before the place where a dump breaks off', async () => {
    const dump = Buffer.from(dumpXml(PAGES));
    expect(await send(dump.subarray(0, dump.length - 200))).toMatchObject({
      status: 400,
      error: expect.stringMatching(/cut off: it ends within a tag; 2 pages were stored before$/) as string,
      imported: 2,
    });
    expect(await send(bzip2(dump, 300).subarray(0, -20))).toMatchObject({
      status: 400,
      error: expect.stringMatching(/the dump is cut off/) as string,
    });
    expect(await keys()).toContain('Leuchtturm');
  });

  it('returns 413 beyond its limits, with the pages before', async () => {
    const many = Array.from({ length: 41 }, (_, i) => ({ title: `Seite ${i}`, text: 'x' }));
    expect(await send(dumpXml(many))).toMatchObject({ status: 413, code: 'payload_too_large', imported: 40 });
    const large = Array.from({ length: 10 }, (_, i) => ({ title: `Große ${i}`, text: 'x'.repeat(60_000) }));
    expect(await send(gzipSync(dumpXml(large)))).toMatchObject({
      status: 413,
      error: expect.stringContaining('more than 409600 bytes of XML') as string,
    });
  });

  it('says what is missing or unsupported', async () => {
    expect(await send(dumpXml(PAGES), { lang: '' })).toMatchObject({ status: 400, error: 'missing fields: lang' });
    expect(await send('{}', {}, 'application/json')).toMatchObject({ status: 415 });
    expect(await send('x', {}, 'multipart/form-data')).toMatchObject({
      status: 400,
      error: expect.stringContaining('the form cannot be read') as string,
    });
  });

  it('stops when the client leaves, and serves others', async () => {
    const upload = openUpload(urlOf({ batchSize: '1' }));
    upload.write(DUMP_HEAD + pageXml({ title: 'Erste', text: 'x' }));
    await expect.poll(async () => (await keys()).length, { timeout: 20_000 }).toBe(1);
    upload.destroy();
    expect(await send(dumpXml(PAGES))).toMatchObject({ status: 200, imported: 3 });
  });

  it('takes the dump as a stream of gRPC', async () => {
    const client = new GrpcClient(server.listeners.grpc!.url);
    const { call, answer } = client.send('ImportWiki');
    call.write(encode('ImportWiki', { options: { collection, lang: 'de', skipRedirects: true } }));
    const bytes = Buffer.from(dumpXml(PAGES));
    for (let i = 0; i < bytes.length; i += 100)
      call.write(encode('ImportWiki', { data: bytes.subarray(i, i + 100).toString('base64') }));
    call.end();
    expect(await answer).toMatchObject({ imported: '2', skipped: '2', collection });
    const again = client.send('ImportWiki');
    again.call.write(encode('ImportWiki', { options: { collection, lang: 'de' } }));
    again.call.write(encode('ImportWiki', { data: Buffer.from('<feed/>').toString('base64') }));
    again.call.end();
    await expect(again.answer).rejects.toMatchObject({
      code: 3,
      details: expect.stringContaining('expected the export') as string,
    });
    client.close();
  });

  it('fetches the dump for a tool of MCP, by the rules for outgoing requests', async () => {
    const call = async (url: string) => {
      const body = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'import_wiki',
          arguments: { collection, lang: 'de', url },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      };
      const response = await fetch(new URL('/mcp', server.listeners.mcp!.url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'import_wiki',
        },
        body: JSON.stringify(body),
      });
      return response.text();
    };
    const origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    expect(await call(`${origin}/dump.xml`)).toContain('\\"imported\\":3');
    expect(await call(`${origin}/none.xml`)).toContain('the server returned 404');
    expect(await call('http://169.254.169.254/latest')).toContain('url could not be fetched');
    expect(await call('file:///etc/passwd')).toContain('url must be an http or https URL');
  });
});
