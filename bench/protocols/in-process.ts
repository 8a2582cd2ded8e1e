// The handler called directly, through the pipeline that all protocols use: `node in-process.ts DATABASE SECONDS`
// prints a `Pace` for each number of clients.
import type { Caller } from '../../src/operations/index.ts';
import { openService } from '../support/docs-service.ts';
import { type Pace, paceOf } from './pace.ts';
import { IDENTITY, PAGE } from './page.ts';

const [path, seconds, ...clients] = process.argv.slice(2) as [string, string, ...string[]];
const { invoke, stop } = await openService(path);
const caller: Caller = { protocol: 'http', requestId: 'bench' };

await invoke('addDocument', { ...PAGE }, caller);
const call = () => invoke('getDocument', { ...IDENTITY }, caller);
const paces: Pace[] = [];
for (const count of clients) {
  const callers = Array.from({ length: Number(count) }, () => call);
  await paceOf(callers, 1);
  paces.push(await paceOf(callers, Number(seconds)));
}
await stop();
process.stdout.write(JSON.stringify(paces));
