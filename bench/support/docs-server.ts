// The document service in a separate process, which reports its resource usage: `fork` it with a database's path; it
// sends its URL, and answers each message with its memory and how long its event loop was blocked since the last one.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startDocumentService } from '../../src/app/docs-service.ts';
import { loadSettings } from '../../src/app/settings/index.ts';
import { memoryOf } from '../../src/docs/system/system-info.ts';
import { silentLog } from '../../src/lib/log.ts';

export interface Usage {
  /** Bytes of the process. */
  readonly rss: number;
  /**
   * The part of them that are pages of files, such as the database, which the system takes back when memory is short.
   */
  readonly mapped: number;
  /**
   * Longest time in milliseconds that the event loop was blocked since the last message, including the millisecond of
   * its timer.
   */
  readonly longestBlock: number;
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const { settings } = loadSettings({
  env: {
    ...process.env,
    SVC_PATH: process.argv[2]!,
    SVC_HTTP_ADDR: '127.0.0.1:0',
    SVC_GRPC_ADDR: '127.0.0.1:0',
    SVC_MCP_ADDR: '127.0.0.1:0',
  },
});
const service = await startDocumentService({ settings, log: silentLog });
process.send!(service.url);

process.on('message', () => {
  const { resident, mapped } = memoryOf();
  process.send!({ rss: resident, mapped, longestBlock: delay.max / 1e6 } satisfies Usage);
  delay.reset();
});
process.on('disconnect', () => void service.stop().then(() => process.exit(0)));
