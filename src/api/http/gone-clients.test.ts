import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Spool } from '../../lib/spool.ts';
import type { OperationSpec } from '../../operations/index.ts';
import { readForm, readStreamedFile } from './form.ts';

// A request waits, for example for the database to say who sent it, before its body is read. Its client may leave
// meanwhile.

let server: Server;
afterEach(() => void server.close());

const FORM = 'multipart/form-data; boundary=b';
const spec = { consumes: ['application/octet-stream', 'multipart/form-data'] } as unknown as OperationSpec;

/** A request whose client has left in the middle of the body. */
async function left(contentType: string): Promise<IncomingMessage> {
  server = createServer().listen(0);
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port);
  client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${contentType}\r\nContent-Length: 1000\r\n\r\n--b\r\n`);
  const [request, response] = await once(server, 'request') as [IncomingMessage, NodeJS.EventEmitter];
  client.destroy();
  await once(response, 'close');
  return request;
}

it.each([['a form', FORM,
  (request: IncomingMessage) =>
    readForm(request, { schema: {}, spool: new Spool(join(tmpdir(), 'unused')), precheck: async () => undefined })], [
  'a file in a form',
  FORM,
  (request: IncomingMessage) => readStreamedFile(request, spec),
], ['a bare file', 'application/octet-stream', (request: IncomingMessage) => readStreamedFile(request, spec)]])(
  '%s whose client has left is refused, and nothing waits for its end',
  async (_name, contentType, read) => {
    await expect(read(await left(contentType))).rejects.toMatchObject({
      code: 'invalid_json',
      message: 'the request ended before its body was complete',
    });
  },
);
