// The cost of triggers for a write: two services in this process, one with 10,000 triggers and one without, are written
// to in turn. Measured is the processor time of the event loop's thread, including that of following the change feed.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Rule, writeRule } from '../../src/docs/automation/rule.ts';
import { systemClock as clock } from '../../src/lib/clock.ts';
import { DOCUMENT_MIGRATIONS, migrate, openDatabase } from '../../src/storage/index.ts';
import { seeded } from '../support/corpus.ts';
import { openService, type ServiceInProcess } from '../support/docs-service.ts';
import { scaled } from '../support/scale.ts';
import { compare, median, type Row } from '../support/table.ts';

const TRIGGERS = Math.round(scaled(10_000, 500));
const WRITES = Math.round(scaled(500, 50));
const ROUNDS = 7;
/** Words of a document, drawn by Zipf's law from a vocabulary of the given size. */
const WORDS = 150;
const VOCABULARY = 20_000;

/** Each trigger is for two words, both required. */
async function writeTriggers(path: string, word: () => string): Promise<void> {
  const sql = await openDatabase({ path });
  await migrate(sql, DOCUMENT_MIGRATIONS, clock);
  await sql.transaction(async (tx) => {
    for (let i = 0; i < TRIGGERS; i++) {
      const body = {
        type: 'trigger',
        name: `T${i}`,
        enabled: true,
        collection: 'bench',
        searchType: 'fts',
        query: `${word()} AND ${word()}`,
        threshold: 1000,
        webhookUrl: 'http://127.0.0.1:9/',
        events: ['doc.added'],
        sentimentEnabled: false,
        sentimentMin: -1,
        sentimentMax: 1,
        conditionLogic: 'and',
        method: 'POST',
      } as Rule['body'];
      await writeRule(tx, { id: `auto_${i}`, body, secret: '', since: 0, lastRun: 0, createdAt: 0, updatedAt: 0 },
        undefined);
    }
  });
  await sql.close();
}

async function countOf({ invoke }: ServiceInProcess, name: string): Promise<number> {
  const { value } = await invoke('getMetrics', {}, { protocol: 'http', requestId: 'bench' });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(value.content as string)?.[1] ?? 0);
}

/** Processor time of the event loop for each write, in milliseconds. */
async function measure(service: ServiceInProcess, texts: readonly string[], round: number,
  follows: boolean): Promise<number>
{
  const before = follows ? await countOf(service, 'svc_automation_documents_total') : 0;
  const start = process.threadCpuUsage();
  for (const [i, contentMd] of texts.entries())
    await service.invoke('addDocument', { collection: 'bench', key: `${round}-${i}`, lang: 'en', contentMd }, {
      protocol: 'http',
      requestId: 'bench',
    });
  while (follows && (await countOf(service, 'svc_automation_documents_total')) - before < texts.length)
    await setTimeout(50);
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000 / texts.length;
}

/** The cost of triggers for a write compared with the target, and how many are evaluated. */
export async function benchTriggers(folder: string): Promise<{ row: Row; note: string }> {
  const random = seeded(11);
  const word = () => `word${Math.floor(random() * VOCABULARY)}`;
  const common = () => `word${Math.floor(VOCABULARY ** random()) - 1}`;
  const path = join(folder, 'triggers.db');
  await writeTriggers(path, word);
  const [plain, watched] = [await openService(join(folder, 'plain.db')), await openService(path)];
  const texts = Array.from({ length: WRITES }, () => Array.from({ length: WORDS }, common).join(' '));
  const [without, withTriggers]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const pair = [await measure(plain, texts, round, false), await measure(watched, texts, round, true)] as const;
    // The first round creates indexes and compiles code.
    if (round > 0) { for (const [i, list] of [without, withTriggers].entries()) list.push(pair[i]!); }
  }
  const [documents, evaluated] = [await countOf(watched, 'svc_automation_documents_total'),
    await countOf(watched, 'svc_automation_evaluated_total')];
  await plain.stop();
  await watched.stop();
  const cost = median(withTriggers.map((ms, i) => ms - without[i]!));
  return {
    row: compare(
      `event loop for a write with ${TRIGGERS.toLocaleString('en-US')} triggers, less that without (${
        median(without).toFixed(3)
      } ms)`,
      cost,
      'target',
      1,
      'ms',
    ),
    note: `Of ${TRIGGERS.toLocaleString('en-US')} triggers, ${
      (evaluated / documents).toFixed(1)
    } were evaluated for each document of ${WORDS} words.`,
  };
}
