// The peer of benchmarks over HTTP: a koa route that returns fixed bytes, `/v1/get` unless another path is given.
import Koa from 'koa';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [body, path = '/v1/get'] = process.argv.slice(2) as [string, string?];
const app = new Koa();
app.use((ctx) => {
  if (ctx.path !== path) return;
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = body;
});
const server = createServer(app.callback()).listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
