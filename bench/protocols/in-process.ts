// The handler called directly, through the pipeline that all protocols use: `node in-process.ts DATABASE SECONDS` prints
// a `Pace` for each number of clients.
import { operations, type Operations } from '../../generated/docs/operations.ts';
import { toDocsSettings } from '../../src/app/docs-service.ts';
import { loadSettings } from '../../src/app/settings/index.ts';
import { readSpecification } from '../../src/app/specification.ts';
import { createDocumentService } from '../../src/docs/index.ts';
import { systemClock as clock } from '../../src/lib/clock.ts';
import { silentLog as log } from '../../src/lib/log.ts';
import { createInvoker, type Caller } from '../../src/operations/index.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, migrate, openDatabase } from '../../src/storage/index.ts';
import { paceOf, type Pace } from './pace.ts';
import { IDENTITY, PAGE } from './page.ts';

const [path, seconds, ...clients] = process.argv.slice(2) as [string, string, ...string[]];
const { settings } = loadSettings({ env: { SVC_PATH: path } });
const sql = await openDatabase({ path });
await migrate(sql, DOCUMENT_MIGRATIONS, clock);
const service = await createDocumentService({ sql, clock, log, feed: new ChangeFeed(sql, clock), codec: new BodyCodec(settings.compression), settings: toDocsSettings(settings) });
const { inputs } = await readSpecification('docs');
const invoke = createInvoker<Operations>({ operations, inputs, handlers: service.handlers, guard: service.access.guard, mode: () => 'wr', timeoutMs: 30_000 });
const caller: Caller = { protocol: 'http', requestId: 'bench' };

await invoke('addDocument', { ...PAGE }, caller);
const call = () => invoke('getDocument', { ...IDENTITY }, caller);
const paces: Pace[] = [];
for (const count of clients) {
  const callers = Array.from({ length: Number(count) }, () => call);
  await paceOf(callers, 1);
  paces.push(await paceOf(callers, Number(seconds)));
}
await service.stop();
await sql.close();
process.stdout.write(JSON.stringify(paces));
