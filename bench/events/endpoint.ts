// A webhook endpoint in a separate process: it sends its URL, accepts everything at once, and answers each message with
// the number of requests since the last message, and the times of the first and the last of them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrivals {
  readonly count: number;
  /** Milliseconds of the process's own clock. */
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
