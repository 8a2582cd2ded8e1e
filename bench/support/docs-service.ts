import { type Operations, operations } from '../../generated/docs/operations.ts';
import { toDocsSettings } from '../../src/app/docs-service.ts';
import { loadSettings } from '../../src/app/settings/index.ts';
import { readSpecification } from '../../src/app/specification.ts';
import { createDocumentService } from '../../src/docs/index.ts';
import { systemClock as clock } from '../../src/lib/clock.ts';
import { silentLog as log } from '../../src/lib/log.ts';
import { createInvoker, type Invoke } from '../../src/operations/index.ts';
import { BodyCodec, ChangeFeed, DOCUMENT_MIGRATIONS, migrate, openDatabase } from '../../src/storage/index.ts';

/** The document service without a protocol: its operations, called through the pipeline that all protocols use. */
export interface ServiceInProcess {
  readonly invoke: Invoke<Operations>;
  stop(): Promise<void>;
}

/** Opens a database; `env` contains further settings, if any. */
export async function openService(path: string, env: Readonly<Record<string, string>> = {}): Promise<ServiceInProcess> {
  const { settings } = loadSettings({ env: { SVC_PATH: path, ...env } });
  const sql = await openDatabase({ path });
  await migrate(sql, DOCUMENT_MIGRATIONS, clock);
  const service = await createDocumentService({
    sql,
    clock,
    log,
    feed: new ChangeFeed(sql, clock),
    codec: new BodyCodec(settings.compression),
    settings: toDocsSettings(settings),
  });
  const { inputs } = await readSpecification('docs');
  return {
    invoke: createInvoker<Operations>({
      operations,
      inputs,
      handlers: service.handlers,
      guard: service.access.guard,
      mode: () => 'wr',
      timeoutMs: 30_000,
    }),
    stop: async () => {
      await service.stop();
      await sql.close();
    },
  };
}
