// The peer of the read benchmark: one koa route that answers fixed bytes.
import Koa from 'koa';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const body = process.argv[2]!;
const app = new Koa();
app.use((ctx) => {
  if (ctx.path !== '/v1/get') return;
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = body;
});
const server = createServer(app.callback()).listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
