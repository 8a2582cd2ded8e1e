import { strToU8, zipSync } from 'fflate';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startDocsServer } from '../../src/testkit/docs-server.ts';
import { type Answer, HttpClient } from '../../src/testkit/http-client.ts';
import { AccessServer, bearer, type Credential } from '../support/access-server.ts';

let access: AccessServer;
let writer: Credential;
let reader: Credential;

beforeAll(async () => {
  access = await AccessServer.start();
  writer = bearer(await access.register('writer'));
  reader = bearer(await access.register('reader'));
  await access.grant('writer', 'docs', 'read', 'write');
  await access.grant('reader', 'docs', 'read');
});
afterAll(() => access.stop());

const BOUNDARY = 'b';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
const field = (name: string, value: string) =>
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
const fileHead = (name: string) =>
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="files[]"; filename="${name}"\r\n\r\n`);
const WHERE = [field('collection', 'docs'), field('lang', 'en')];

function upload(files: readonly (readonly [name: string, bytes: Uint8Array | string])[],
  client = access.client): Promise<Answer>
{
  const parts = files.flatMap(([name, bytes]) => [fileHead(name), Buffer.from(bytes), Buffer.from('\r\n')]);
  return client.send('POST', '/v1/upload', {
    headers: { ...writer, 'Content-Type': TYPE },
    body: Buffer.concat([...WHERE, ...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
  });
}

/** 3 MB, whose conversion takes several times the limit of the test. */
const FOR_EVER = 'x<wbr>'.repeat(500_000);

/** The status that arrives while the body of a request is still being sent. */
function statusOfHalf(credential: Credential, begin: readonly Buffer[]): Promise<number> {
  const { hostname, port } = new URL(access.server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const headers = Object.entries({
        ...credential,
        Host: hostname,
        'Content-Type': TYPE,
        'Content-Length': '1000000000',
      }).map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.write(`POST /v1/upload HTTP/1.1\r\n${headers}\r\n`);
      for (const bytes of begin) socket.write(bytes);
    });
    socket.once('error', reject);
    socket.once('data', (bytes: Buffer) => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1'))?.[1]));
    });
  });
}

describe('an upload', () => {
  it('of an unknown caller, or one who may not write, is refused before its files are read', async () => {
    const begin = [...WHERE, fileHead('a.md'), Buffer.alloc(200_000, 'x')];
    expect(await statusOfHalf({}, begin)).toBe(401);
    expect(await statusOfHalf(bearer('forged'), begin)).toBe(401);
    expect(await statusOfHalf(reader, begin)).toBe(403);
    const folder = `${access.server.database}.uploads`;
    await expect.poll(() => (existsSync(folder) ? readdirSync(folder) : [])).toEqual([]);
  });

  it('without write permission is refused whatever the position of its collection field', async () => {
    const body = Buffer.concat([fileHead('a.md'), Buffer.from('x\r\n'), ...WHERE, Buffer.from(`--${BOUNDARY}--\r\n`)]);
    expect(
      (await access.client.send('POST', '/v1/upload', { headers: { ...reader, 'Content-Type': TYPE }, body })).status,
    ).toBe(403);
  });

  it('names no file outside of its collection', async () => {
    const answer = await upload([['../../../etc/passwd.md', 'a'], ['..\\\\..\\\\windows.md', 'b'], ['/etc/shadow.txt',
      'c'], ['file:///etc/hosts.log', 'd']]);
    expect(answer.json<{ results: { key: string }[] }>().results.map(({ key }) => key)).toEqual(['passwd', 'windows',
      'shadow', 'hosts']);
  });

  it('of archives that unpack without end, of XML with entities, and of broken files fails file by file', async () => {
    const types = strToU8(
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    );
    const docx = (document: Uint8Array) => zipSync({ '[Content_Types].xml': types, 'word/document.xml': document });
    const laughs = strToU8(
      '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY f SYSTEM ' +
        '"file:///etc/passwd">]><w:document ' +
        'xmlns:w="x"><w:body><w:p><w:r><w:t>&b;&f;</w:t></w:r></w:p></w:body></w:document>',
    );
    const deep = strToU8(
      `<?xml version="1.0"?><w:document xmlns:w="x">${'<w:p>'.repeat(100_000)}${'</w:p>'.repeat(100_000)}</w:document>`,
    );
    const answer = await upload([['bomb.docx', docx(new Uint8Array(30_000_000))], ['laughs.docx', docx(laughs)], [
      'deep.docx',
      docx(deep),
    ], ['cut.docx', docx(types).subarray(0, 60)], ['torn.pdf', '%PDF-1.7\n1 0 obj'], ['html.html',
      '<div>'.repeat(50_000)], ['good.md', '# Good']]);
    const { added, failed, errors } = answer.json<{ added: number; failed: number; errors: string[] }>();
    expect(answer.status).toBe(200);
    expect(added + failed).toBe(7);
    for (const name of ['0 bomb.docx', '3 cut.docx', '4 torn.pdf'])
      expect(errors).toContainEqual(expect.stringContaining(name));
    expect(answer.text).not.toContain('root:');
    expect(answer.text).toContain('"contentMd":"# Good"');
    expect(access.server.errors).toEqual([]);
  }, 60_000);

  it('of a page that takes for ever ends that page at the time limit, and the next file is converted', async () => {
    const server = await startDocsServer({
      env: { SVC_CONVERT_TIMEOUT: '3s', SVC_CONVERT_WORKERS: '1', SVC_CONVERT_MEMORY: '2GiB' },
    });
    const client = new HttpClient(server.url);
    onTestFinished(async () => {
      client.close();
      await server.stop();
    });
    const answer = await upload([['slow.html', FOR_EVER], ['good.md', '# Good']], client);
    const { added, failed, errors } = answer.json<{ added: number; failed: number; errors: string[] }>();
    expect([answer.status, added, failed]).toEqual([200, 1, 1]);
    expect(errors).toEqual(['0 slow.html: was not converted within 3,000 ms']);
  }, 60_000);
});

describe('a job of somebody else', () => {
  it('is not there', async () => {
    const submitted = await access.send('POST', '/v1/bulk-ingest-job', writer, {
      collection: 'docs',
      documents: [{ key: 'job', lang: 'en', contentMd: 'x' }],
    });
    const { id } = submitted.json<{ id: string }>();
    expect([submitted.status, (await access.send('GET', `/v1/bulk-ingest-job/${id}`, writer)).status]).toEqual([202,
      200]);
    for (const method of ['GET', 'DELETE']) {
      const [known, unknown] = [await access.send(method, `/v1/bulk-ingest-job/${id}`, reader),
        await access.send(method, '/v1/bulk-ingest-job/job_1_abcdef', reader)];
      expect([known.status, known.json<{ error: string }>().error]).toEqual([404,
        unknown.json<{ error: string }>().error]);
    }
    expect((await access.send('GET', '/v1/bulk-ingest-jobs', reader)).json()).toEqual({ jobs: [], total: 0 });
    expect((await access.send('GET', '/v1/bulk-ingest-jobs', writer)).json()).toMatchObject({ total: 1 });
  });

  it("cannot be made for a collection that is not one's own, or to call into the network", async () => {
    const job = (credential: Credential, more: object) =>
      access.send('POST', '/v1/bulk-ingest-job', credential, {
        collection: 'docs',
        documents: [{ key: 'k', lang: 'en', contentMd: '' }],
        ...more,
      });
    expect((await job(reader, {})).status).toBe(403);
    for (const callbackUrl of ['http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://10.1.2.3/',
      'gopher://example.org/']) expect((await job(writer, { callbackUrl })).status, callbackUrl).toBe(400);
  });
});
