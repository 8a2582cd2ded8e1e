// An endpoint of webhooks in a process of its own: it sends its URL, accepts everything at once, and answers each message with what it
// has received since the last one and the time of the first and the last of that.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrivals {
  readonly count: number;
  /** Milliseconds of the process' own clock. */
  readonly first: number;
  readonly last: number;
}

let arrivals = { count: 0, first: 0, last: 0 };
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const now = performance.now();
    if (arrivals.count++ === 0) arrivals.first = now;
    arrivals.last = now;
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`));
process.on('message', () => {
  process.send!(arrivals satisfies Arrivals);
  arrivals = { count: 0, first: 0, last: 0 };
});
process.on('disconnect', () => process.exit(0));
