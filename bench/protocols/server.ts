// The document service in a separate process, with gc exposed: `fork` it with a database's path; it sends its
// addresses, and answers each message with the resources that it has used so far.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDocumentService } from '../../src/app/docs-service.ts';
import { loadSettings } from '../../src/app/settings/index.ts';
import { silentLog } from '../../src/lib/log.ts';

/** Addresses of the protocols. */
export interface Targets {
  readonly http: string;
  readonly grpc: string;
  readonly mcp: string;
}

export interface Usage {
  /** Bytes of the process, and the part of JavaScript objects and buffers. */
  readonly rss: number;
  readonly heap: number;
  /** Processor time since the start, in microseconds. */
  readonly cpu: number;
}

const { settings } = loadSettings({
  env: {
    SVC_PATH: process.argv[2]!,
    SVC_HTTP_ADDR: '127.0.0.1:0',
    SVC_GRPC_ADDR: '127.0.0.1:0',
    SVC_MCP_ADDR: '127.0.0.1:0',
  },
});
const service = await startDocumentService({ settings, log: silentLog });
const { http, grpc, mcp } = service.listeners;
process.send!({ http: http!.url, grpc: grpc!.url, mcp: mcp!.url } satisfies Targets);

process.on('message', async (asked: 'cpu' | 'memory') => {
  // Memory that only waits for the next garbage collection must not count.
  for (let i = 0; asked === 'memory' && i < 3; i++) {
    gc!();
    await sleep(200);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  process.send!({ rss, heap: heapUsed + external, cpu: user + system } satisfies Usage);
});
process.on('disconnect', () => void service.stop().then(() => process.exit(0)));
