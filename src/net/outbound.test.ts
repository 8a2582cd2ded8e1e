import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { makeAuthority } from '../testkit/certificates.ts';
import { ManualTimer } from '../testkit/manual-timer.ts';
import { type OutboundSettings, type RefusalRule, RefusedRequest } from './outbound-policy.ts';
import { createOutbound, type Outbound, type OutboundDeps } from './outbound.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server on a loopback address that records its requests. */
async function serve(answering: Answering, host = '127.0.0.1'): Promise<{ url: string; port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
      seen.push({
        url: request.url!,
        method: request.method!,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      answering(request, response);
    });
  });
  await once(server.listen(0, host), 'listening');
  cleanups.push(() =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    })
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}`, port, seen };
}

function outbound(settings: Partial<OutboundSettings> = {}, deps: OutboundDeps = {}): Outbound {
  const made = createOutbound({ allowPrivate: 'loopback', allowlist: [], ...settings }, {
    timer: new ManualTimer(),
    ...deps,
  });
  cleanups.push(() => made.close());
  return made;
}

/** Resolves each name to the next of its lists of addresses; the last list is repeated. */
function resolver(
  names: Readonly<Record<string, string[][]>>,
): { resolve: NonNullable<OutboundDeps['resolve']>; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async resolve(hostname) {
      asked.push(hostname);
      const lists = names[hostname] ?? [];
      const addresses = lists.length > 1 ? lists.shift()! : (lists[0] ?? []);
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  };
}

async function refusal(promise: Promise<unknown>): Promise<RefusedRequest> {
  const error = await promise.then(() => undefined, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(RefusedRequest);
  return error as RefusedRequest;
}

const ok: Answering = (_, response) => response.end('fine');

describe('a guarded fetch', () => {
  it('returns what the server returned, as fetch does', async () => {
    const server = await serve((_, response) =>
      response.writeHead(201, { 'X-A': 'b', 'Set-Cookie': ['a=1', 'b=2'] }).end('made')
    );
    const answer = await outbound().fetch()(`${server.url}/p?q=1`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain', Authorization: 'Bearer x' },
      body: 'sent',
    });
    expect(answer).toBeInstanceOf(Response);
    expect([answer.status, answer.ok, answer.url, answer.redirected, answer.headers.get('X-A'),
      answer.headers.getSetCookie()]).toEqual([201, true, `${server.url}/p?q=1`, false, 'b', ['a=1', 'b=2']]);
    expect(await answer.text()).toBe('made');
    expect(server.seen).toMatchObject([{
      url: '/p?q=1',
      method: 'POST',
      body: 'sent',
      headers: { authorization: 'Bearer x', 'content-type': 'text/plain', 'content-length': '4' },
    }]);
  });

  it('takes a Request, and a response without a body', async () => {
    const server = await serve((_, response) => response.writeHead(204).end());
    const answer = await outbound().fetch()(
      new Request(`${server.url}/r`, { method: 'PUT', body: 'b', headers: { 'X-A': '1' } }),
    );
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(server.seen).toMatchObject([{ method: 'PUT', body: 'b', headers: { 'x-a': '1' } }]);
  });

  it.each<[string, () => BodyInit, RegExp, RegExp]>([['text', () => 'sent', /^text\/plain/, /^sent$/], ['bytes',
    () => new Uint8Array([115, 101]), /^$/, /^se$/], ['a blob', () => new Blob(['sent'], { type: 'a/b' }), /^a\/b$/,
    /^sent$/], ['parameters', () => new URLSearchParams({ a: 'b c' }), /^application\/x-www-form-urlencoded/,
    /^a=b\+c$/], ['a stream', () => new Blob(['sent']).stream(), /^$/, /^sent$/], ['a form', () => {
    const form = new FormData();
    form.set('a', 'b');
    form.set('f', new Blob(['content']), 'name.txt');
    return form;
  }, /^multipart\/form-data; boundary=/, /name="a"\s+b\s[^]*filename="name.txt"[^]*content/]])('sends %s',
    async (_, body, type, sent) => {
      const server = await serve(ok);
      await (await outbound().fetch()(server.url, {
        method: 'POST',
        body: body(),
        ...(body() instanceof ReadableStream && { duplex: 'half' }),
      })).text();
      expect(server.seen[0]!.headers['content-type'] ?? '').toMatch(type);
      expect(server.seen[0]!.body).toMatch(sent);
    });

  it('leaves the global fetch to whoever owns it', async () => {
    expect(
      (globalThis as unknown as Record<symbol, unknown>)[Symbol.for('undici.globalDispatcher.1')]?.constructor.name,
    ).not.toBe('Dispatcher1Wrapper');
  });

  it('rejects as fetch does when nobody listens', async () => {
    const server = await serve(ok);
    await cleanups.pop()!();
    await expect(outbound().fetch()(server.url)).rejects.toThrow(TypeError);
  });

  it('believes no certificate that an unknown authority has signed, and asks for the name that was called', async () => {
    const names: unknown[] = [];
    const { cert, key } = await (await makeAuthority()).issue('server');
    const server = createSecureServer({ cert, key, SNICallback: (name, done) => (names.push(name), done(null)) },
      (_, response) => response.end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    cleanups.push(async () => server.close());
    const { resolve } = resolver({ 'secure.example': [['127.0.0.1']] });
    const error = await outbound({}, { resolve }).fetch()(
      `https://secure.example:${(server.address() as AddressInfo).port}/`,
    ).catch((reason: unknown) => reason);
    expect((error as Error).cause).toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(names).toEqual(['secure.example']);
  });

  it('ends with the signal of its caller, before the response and in the middle of it', async () => {
    const server = await serve((request, response) => (request.url === '/begun' ? response.write('a') : undefined));
    const fetch = outbound().fetch();
    const [before, during] = [new AbortController(), new AbortController()];
    const waiting = fetch(server.url, { signal: before.signal });
    before.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const answer = await fetch(`${server.url}/begun`, { signal: during.signal });
    during.abort(new Error('enough'));
    await expect(answer.text()).rejects.toThrow('enough');
  });
});

describe('an address that must not be called', () => {
  const SPELLINGS = ['http://127.0.0.1', 'http://127.1', 'http://2130706433', 'http://0x7f000001', 'http://0177.0.0.1',
    'http://017700000001', 'http://[::ffff:127.0.0.1]', 'http://[::ffff:7f00:1]', 'http://[::1]', 'http://127.0.0.1.',
    'http://①②⑦.0.0.1'];

  it.each(SPELLINGS)('is refused however it is spelt: %s', async (url) => {
    const server = await serve(ok);
    const error = await refusal(outbound({ allowPrivate: 'false' }).fetch()(`${url}:${server.port}`));
    expect([error.rule, error.message]).toEqual(['address',
      expect.stringContaining('is at a loopback address, which this server must not call')]);
    expect(server.seen).toEqual([]);
  });

  it.each(['http://169.254.169.254/latest/meta-data/', 'http://[fd00:ec2::254]/', 'http://0.0.0.0/', 'http://[::]/',
    'http://[fe80::1]/', 'http://100.100.100.200/', 'http://[64:ff9b::a9fe:a9fe]/'])(
      'is refused to everyone when it is %s',
      async (url) => {
        expect((await refusal(outbound({ allowPrivate: 'true', allowlist: ['0.0.0.0/0', '::/0'] }).fetch()(url))).rule)
          .toBe('address');
      },
    );

  it('is refused behind a name, which the error shows, without the address', async () => {
    const server = await serve(ok);
    const { resolve } = resolver({ 'intranet.example': [['10.1.2.3']] });
    const error = await refusal(outbound({}, { resolve }).fetch()(`http://intranet.example:${server.port}/`));
    expect(error.message).toBe('the host intranet.example is at a private address, which this server must not call');
  });

  it('is not reached by a name that changes its mind (DNS rebinding)', async () => {
    const server = await serve((_, response) => response.writeHead(200, { Connection: 'close' }).end('fine'),
      '127.0.0.2');
    const names = resolver({
      'a.example': [['127.0.0.2'], ['10.0.0.1'], ['127.0.0.2']],
      'b.example': [['10.0.0.1'], ['127.0.0.2']],
    });
    const fetch = outbound({}, names).fetch();
    const url = (host: string) => `http://${host}:${server.port}/`;
    expect(await (await fetch(url('a.example'))).text()).toBe('fine');
    expect((await refusal(fetch(url('a.example')))).rule).toBe('address');
    expect((await refusal(fetch(url('b.example')))).rule).toBe('address');
    // Once for each connection: the address that was checked is the one that is called.
    expect(names.asked).toEqual(['a.example', 'a.example', 'b.example']);
    expect(server.seen).toHaveLength(1);
  });

  it('is passed over where the name has better ones', async () => {
    const server = await serve(ok);
    const { resolve } = resolver({ 'mixed.example': [['169.254.169.254', '127.0.0.1', '10.0.0.1']] });
    expect(await (await outbound({}, { resolve }).fetch()(`http://mixed.example:${server.port}/`)).text()).toBe('fine');
  });

  it('may be called where the list names it', async () => {
    const server = await serve(ok);
    const { resolve } = resolver({ 'hook.lan': [['127.0.0.1']], 'other.lan': [['127.0.0.1']] });
    const fetch = outbound({ allowPrivate: 'false', allowlist: ['hook.lan'] }, { resolve }).fetch();
    expect((await fetch(`http://hook.lan:${server.port}/`)).status).toBe(200);
    expect((await refusal(fetch(`http://other.lan:${server.port}/`))).rule).toBe('address');
  });
});

describe('a URL or a header that must not be', () => {
  it.each<[string, RefusalRule]>([['file:///etc/passwd', 'scheme'], ['ftp://127.0.0.1/', 'scheme'], [
    'data:text/plain,a',
    'scheme',
  ], ['gopher://127.0.0.1/', 'scheme'], ['blob:http://a/b', 'scheme'], ['javascript:1', 'scheme'], [
    'http://user:pass@127.0.0.1/',
    'credentials',
  ], ['http://good.example@127.0.0.1/', 'credentials']])('%s is refused by the rule of the %s', async (url, rule) => {
    const made = outbound();
    expect((await refusal(made.fetch()(url))).rule).toBe(rule);
    expect(made.refusal(url)).toEqual(expect.any(String));
  });

  it('is reported before anything is stored, where the URL alone shows it', () => {
    const made = outbound();
    expect(made.refusal('http://10.0.0.1/')).toBe(
      'the host 10.0.0.1 is at a private address, which this server must not call',
    );
    expect(made.refusal('/relative')).toBe('expected an absolute URL');
    expect(made.refusal('https://intranet.example/')).toBeUndefined();
    expect(made.refusal('http://localhost:11434')).toBeUndefined();
  });

  it.each(['Host', 'Connection', 'Content-Length', 'Transfer-Encoding', 'Proxy-Authorization', 'Expect', 'upgrade'])(
    'the header %s is not for callers',
    async (name) => {
      const server = await serve(ok);
      expect((await refusal(outbound().fetch()(server.url, { headers: { [name]: 'x' } }))).rule).toBe('header');
      expect(server.seen).toEqual([]);
    },
  );

  it('a line break in a header sends nothing', async () => {
    const server = await serve(ok);
    await expect(outbound().fetch()(server.url, { headers: { 'X-A': 'a\r\nHost: evil' } })).rejects.toThrow(TypeError);
    expect(server.seen).toEqual([]);
  });

  it('a port of another protocol is refused, as in browsers', async () => {
    await expect(outbound().fetch()('http://127.0.0.1:25/')).rejects.toThrow(TypeError);
  });
});

describe('a redirect', () => {
  const to = (location: string, status = 302): Answering => (_, response) =>
    response.writeHead(status, { Location: location }).end('moved');

  it('is followed at most five times, and the error names the last address', async () => {
    const server = await serve((request, response) => {
      const left = Number(request.url!.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { Location: `/${left - 1}` }).end();
    });
    const fetch = outbound().fetch();
    const answer = await fetch(`${server.url}/5`);
    expect([await answer.text(), answer.url, answer.redirected]).toEqual(['there', `${server.url}/0`, true]);
    const error = await refusal(fetch(`${server.url}/6`));
    expect([error.rule, error.message]).toEqual(['redirect', 'more than 5 redirects']);
  });

  it.each<[string, RefusalRule]>([['http://169.254.169.254/latest/meta-data/', 'address'], [
    'http://[::ffff:169.254.169.254]/',
    'address',
  ], ['http://10.0.0.1/', 'address'], ['http://inner.example/', 'address'], ['file:///etc/passwd', 'scheme'], [
    'data:text/plain,a',
    'scheme',
  ], ['http://a:b@127.0.0.1/', 'credentials'], ['http://[', 'redirect']])('to %s is refused by the rule of the %s',
    async (location, rule) => {
      const server = await serve(to(location));
      const { resolve } = resolver({ 'inner.example': [['192.168.0.1']] });
      expect((await refusal(outbound({}, { resolve }).fetch()(server.url))).rule).toBe(rule);
      expect(server.seen).toHaveLength(1);
    });

  it('takes no credential to another origin, whatever its name', async () => {
    const other = await serve(ok);
    const server = await serve(to(`${other.url}/there`, 307));
    const headers = {
      Authorization: 'Bearer x',
      Cookie: 'a=b',
      'X-API-Key': 'k',
      'X-SVC-Signature': 's',
      'User-Agent': 'quire',
      Accept: 'text/html',
      'Content-Type': 'text/plain',
    };
    await (await outbound().fetch()(server.url, { method: 'POST', headers, body: 'b' })).text();
    expect(other.seen).toMatchObject([{
      method: 'POST',
      body: 'b',
      headers: { 'user-agent': 'quire', accept: 'text/html', 'content-type': 'text/plain' },
    }]);
    for (const name of ['authorization', 'cookie', 'x-api-key', 'x-svc-signature'])
      expect(other.seen[0]!.headers).not.toHaveProperty(name);
  });

  it('takes them along within one origin', async () => {
    const server = await serve((request,
      response) => (request.url === '/a' ? to('/b')(request, response) : ok(request, response))
    );
    await (await outbound().fetch()(`${server.url}/a`, { headers: { Authorization: 'Bearer x' } })).text();
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer x', 'Bearer x']);
  });

  it.each([[301, 'GET'], [302, 'GET'], [303, 'GET'], [307, 'POST'], [308, 'POST']])('of status %i makes a %s of a POST',
    async (status, method) => {
      const server = await serve((request,
        response) => (request.url === '/a' ? to('/b', status)(request, response) : ok(request, response))
      );
      await (await outbound().fetch()(`${server.url}/a`, { method: 'POST', body: 'b' })).text();
      expect(server.seen[1]).toMatchObject({ method, body: method === 'POST' ? 'b' : '' });
    });

  it('is answered or refused where the caller wants it', async () => {
    const server = await serve(to('http://169.254.169.254/'));
    const answer = await outbound().fetch()(server.url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('Location'), await answer.text()]).toEqual([302,
      'http://169.254.169.254/', 'moved']);
    expect((await refusal(outbound().fetch()(server.url, { redirect: 'error' }))).rule).toBe('redirect');
  });
});

describe('a response', () => {
  it('beyond its size fails, however it is packed', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 2 ** 20));
    const server = await serve((request, response) => {
      if (request.url === '/bomb') response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb);
      else response.end('a'.repeat(Number(request.url!.slice(1))));
    });
    const fetch = outbound().fetch({ maxBytes: 1000 });
    expect((await (await fetch(`${server.url}/1000`)).text()).length).toBe(1000);
    for (const path of ['1001', '900000', 'bomb']) {
      const error = await refusal((await fetch(`${server.url}/${path}`)).text());
      expect([error.rule, error.message]).toEqual(['size', 'the response has more than 1000 bytes']);
    }
  });

  it.each(['/never', '/begun'])('that takes too long fails: %s', async (path) => {
    const server = await serve((request, response) => (request.url === '/begun' ? response.write('a') : undefined));
    const timer = new ManualTimer();
    const reading = (async () => (await outbound({}, { timer }).fetch()(server.url + path)).text())();
    reading.catch(() => undefined);
    while (server.seen.length === 0) await new Promise(setImmediate);
    await timer.elapse();
    const error = await refusal(reading);
    expect([error.rule, error.message]).toEqual(['time', 'no complete response within 30 s']);
  });

  it('sends nothing once it is closed, also if it has sent nothing before', async () => {
    const server = await serve((_, response) => response.end('fine'));
    const closed = outbound();
    await closed.close();
    await expect(closed.fetch()(server.url)).rejects.toThrow();
    await expect(
      closed.sender({ maxBytes: 10, timeoutMs: 1000 })({ url: server.url, method: 'POST', headers: {} },
        new AbortController().signal),
    ).rejects.toThrow();
    expect(server.seen).toEqual([]);
  });

  it('that was read, failed or was left leaves no timer behind', async () => {
    const server = await serve((_, response) => response.end('a'.repeat(100)));
    const open = new Set<AbortSignal>();
    const timer = {
      sleep: (_: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          open.add(signal!);
          signal!.addEventListener('abort', () => (open.delete(signal!), resolve()));
        }),
    };
    const fetch = outbound({}, { timer }).fetch({ maxBytes: 100 });
    await (await fetch(server.url)).text();
    await (await fetch(server.url)).body!.cancel();
    await (await fetch(server.url, { method: 'HEAD' })).text();
    await refusal(fetch('http://10.0.0.1/'));
    await refusal((await outbound({}, { timer }).fetch({ maxBytes: 10 })(server.url)).text());
    expect(open.size).toBe(0);
  });
});
