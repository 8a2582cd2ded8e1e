import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { flatErrors } from './errors.ts';
import { startHttpServer } from './server.ts';

it('requests begin when a short body has arrived with their head, in their order', async () => {
  const begun: Pick<IncomingMessage, 'url' | 'complete'>[] = [];
  const server = await startHttpServer((request, response) => {
    begun.push({ url: request.url, complete: request.complete });
    response.end();
  }, { host: '127.0.0.1', port: 0 }, flatErrors);
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.resume().write(
    'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}POST /b HTTP/1.1\r\nHost: x\r\nConnection: ' +
      'close\r\nContent-Length: 2\r\n\r\n{}',
  );
  await once(socket, 'end');
  socket.end();
  await server.stop(1000);
  expect(begun).toEqual([{ url: '/a', complete: true }, { url: '/b', complete: true }]);
});

it('a server that stops does not wait for connections that have sent nothing', async () => {
  const server = await startHttpServer((_, response) => void response.end(), { host: '127.0.0.1', port: 0 },
    flatErrors);
  const silent = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(silent, 'connect');
  // Its answer comes after the server has accepted the connection before it.
  await (await fetch(server.url)).text();
  await Promise.all([server.stop(3_600_000), once(silent.resume(), 'close')]);
});

it('a response that is written before its turn stays whole, also if its client waits for 100 Continue', async () => {
  const waiting: ServerResponse[] = [];
  const server = await startHttpServer((request, response) => {
    waiting.push(response);
    if (request.url === '/a') return;
    response.end(Buffer.from('second'));
    waiting[0]!.end('first');
  }, { host: '127.0.0.1', port: 0 }, flatErrors);
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('latin1');
  socket.write(
    'GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /b HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: ' +
      'close\r\nContent-Length: 2\r\n\r\n{}',
  );
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  await server.stop(1000);
  expect(text.split('\r\n\r\n').slice(1)).toEqual([expect.stringMatching(/^firstHTTP\/1\.1 200 OK/), 'second']);
});
