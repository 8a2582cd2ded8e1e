import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { runImport } from '../commands/import/run-import.ts';
import { CommandError, InterruptedError } from '../commands/shared/command-error.ts';
import { openClient } from '../commands/shared/connection.ts';
import type { Io } from '../commands/shared/io.ts';
import { type DemoCorpus, findCorpus } from './corpus.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { Screen, TOUR } from './tour.ts';

interface DemoContext {
  /** The checkout. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where temporary folders are created. */
  readonly temporary: string;
  readonly io: Io;
  readonly signal: AbortSignal;
}

/**
 * Starts a document service on a temporary database and a free port, imports a corpus, runs some queries, and removes
 * everything, however it ends.
 * @throws {CommandError} if the service does not start, or the demo is interrupted.
 */
export async function runDemo(context: DemoContext): Promise<void> {
  const { root, env, io, signal } = context;
  const screen = new Screen(io.stdout);
  const corpus = await findCorpus(root, env['QUIRE_DEMO_CORPUS']);
  const folder = await mkdtemp(join(context.temporary, 'quire-demo-'));
  // For an exit that runs no `finally`.
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  let service: ServiceProcess | undefined;
  try {
    service = await startServiceProcess({ ...serviceCommand(root, folder, env), signal });
    screen.lines([`A document service listens on ${service.url}, with an empty database that is gone after the demo.`]);
    await importCorpus(corpus, service.url, context, screen);
    const tour = { client: openClient({ url: service.url }), corpus, screen };
    for (const step of TOUR) {
      await step(tour);
      if (signal.aborted) throw new InterruptedError();
    }
    screen.lines(['', ...closingLines()]);
  } catch (error) {
    // The interrupt from the terminal also stops the service, so failures after it are expected.
    throw signal.aborted ? new InterruptedError() : error;
  } finally {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
    process.off('exit', removeFolder);
  }
}

/** Removes the user's own settings: the demo must look the same everywhere, and must not touch the user's database. */
function serviceCommand(root: string, folder: string, env: NodeJS.ProcessEnv) {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SVC_')));
  return {
    file: process.execPath,
    arguments: [join(root, 'src/app/main.ts'), 'docs', '--http-addr', '127.0.0.1:0', '--db', join(folder, 'demo.db')],
    cwd: folder,
    // Only HTTP is shown, and the fixed ports of the other protocols may be in use.
    env: { ...own, SVC_GRPC_ENABLED: 'false', SVC_MCP_ENABLED: 'false' },
  };
}

async function importCorpus(corpus: DemoCorpus, url: string, { io, signal }: DemoContext,
  screen: Screen): Promise<void>
{
  screen.lines(['', `Importing ${corpus.description} …`]);
  for (const source of corpus.sources) {
    const given = {
      source,
      collection: corpus.collection,
      lang: 'en',
      url,
      concurrency: 4,
      batch: 200,
      revisions: true,
    };
    const { stoppedBy } = await runImport(given, { io, clock: systemClock, signal });
    if (stoppedBy !== undefined) throw new CommandError('the import did not come to its end');
  }
}

function closingLines(): string[] {
  return ['That was the demo. To go on with a database of your own (any folder of markdown will do):', '  npm start',
    '  npm run quire -- import src/app/demo/corpus/documents --collection docs',
    '  npm run quire -- search --collection docs --limit 10',
    'The reference of every request is at http://localhost:11023/docs.'];
}
