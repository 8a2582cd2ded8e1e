import { type Command, Option } from 'commander';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SalvageReport } from '../../storage/index.ts';
import { runInForeground, type Running } from '../foreground.ts';
import { createLog } from '../logging/create-log.ts';
import { sealProcess } from '../secrecy/index.ts';
import { describeSettings, type Flags, loadSettings, type Settings } from '../settings/index.ts';
import { readTraceSettings, startTracing, tracedUntilStopped } from '../tracing/index.ts';
import { isForUser } from './shared/command-error.ts';
import { processIo } from './shared/io.ts';

/** `quire docs`: the document service in the foreground. */
export function registerDocs(program: Command): void {
  const command = program.command('docs').description('serve the document service').option('-c, --config <file>',
    'YAML file with settings').option('--with-meaning',
      'search by meaning with the model that comes along, unless SVC_EMBEDDING_PROVIDER or the YAML file says ' +
        'otherwise').option('--demo',
      'with a few hundred documents to play with, in a temporary folder that is removed afterwards unless --db ' +
        'names a database').option('--check-config', 'say whether the settings are valid, and start nothing').option(
      '--verify-db <file>',
      'say whether a database file is sound, and start nothing',
    ).option('--repair-db <file>', 'copy what can be read of a damaged database into a new one, and start nothing')
    .option('--repair-to <new>', 'the file that --repair-db writes; it must not exist').addHelpText('after',
      '\nEvery setting is also an environment variable, such as SVC_PATH; docs/settings.md lists ' +
        'them.\nExamples:\n  $ quire docs --db data/quire.db --http-addr :11023\n  $ quire docs --demo');
  for (const { flag, meaning, onOff } of describeSettings()) {
    if (flag !== undefined) command.addOption(new Option(onOff ? `${flag} [on|off]` : `${flag} <value>`, meaning));
  }
  command.action((flags: Flags) => run(flags));
}

/** `quire mcp`: the same for one client, which starts the process and uses MCP over its standard input and output. */
export function registerMcp(program: Command): void {
  program.command('mcp').description('serve MCP over standard input and output, for a client that starts this program')
    .option('-c, --config <file>', 'YAML file with settings').option('--db <value>', 'database file').option(
      '--mode <value>',
      'access mode: read, write or wr',
    ).option('--with-meaning', 'search by meaning with the model that comes along, unless a setting says otherwise')
    .action((flags: Flags) => run({ ...flags, mcpStdio: true }));
}

async function run(flags: Flags): Promise<void> {
  if (typeof flags['verifyDb'] === 'string') return verify(flags['verifyDb']);
  if (typeof flags['repairDb'] === 'string') return repair(flags['repairDb'], flags['repairTo']);
  return runInForeground(() => (flags['demo'] === true ? startDemo(flags) : start(flags)));
}

/** A service for trying things out: with an embedding model, and a temporary database unless one is named. */
async function startDemo(flags: Flags): Promise<Running> {
  const folder = flags['db'] === undefined && process.env['SVC_PATH'] === undefined
    ? mkdtempSync(join(tmpdir(), 'quire-demo-'))
    : undefined;
  const remove = (): void => (folder === undefined ? undefined : rmSync(folder, { recursive: true, force: true }));
  // Runs however the process ends.
  process.once('exit', remove);
  const running = await start({
    ...flags,
    withMeaning: true,
    ...(folder !== undefined && { db: join(folder, 'demo.db') }),
  });
  const { fillPlayground } = await import('../playground/playground.ts');
  const interrupted = new AbortController();
  const filling = fillPlayground(running.url, processIo, interrupted.signal).catch((error: unknown) => {
    if (!isForUser(error)) throw error;
    if (!interrupted.signal.aborted) console.error(`the service could not be filled: ${error.message}`);
  });
  const stop = async (): Promise<void> => {
    interrupted.abort();
    await running.stop();
    await filling;
  };
  return { ...running, stop };
}

async function verify(file: string): Promise<void> {
  if (!existsSync(file)) {
    console.error(`${file} does not exist`);
    process.exitCode = 1;
    return;
  }
  const { verifyDatabaseFile } = await import('../../storage/index.ts');
  const { ok, problems } = await verifyDatabaseFile(file);
  for (const problem of problems) console.error(problem);
  console.log(ok ? `${file} is sound` : `${file} is damaged; --repair-db copies what can be read of it`);
  process.exitCode = ok ? 0 : 1;
}

/**
 * Exits with 0 if nothing is lost, 3 if something is lost, 1 if there is no new database, 2 if no name for it was
 * given.
 */
async function repair(file: string, target: Flags[string]): Promise<void> {
  if (typeof target !== 'string') {
    console.error(
      '--repair-db needs --repair-to: the file that the repaired database is written to, which must not exist',
    );
    process.exitCode = 2;
    return;
  }
  const { salvageDatabase } = await import('../../storage/index.ts');
  try {
    if (!existsSync(file)) throw new Error('the file does not exist');
    const report = await salvageDatabase(file, target);
    for (const line of describeSalvage(report)) console.log(line);
    console.log(
      report.complete
        ? `${target} has everything that ${file} held`
        : `${target} has what could be read of ${file}; see above for what is lost`,
    );
    process.exitCode = report.complete ? 0 : 3;
  } catch (error) {
    console.error(`${file} could not be repaired: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

async function start(flags: Flags): Promise<Running & { readonly url: string }> {
  const { env, problems } = await sealProcess();
  const { settings, warnings } = loadSettings({
    flags,
    env,
    ...(flags['withMeaning'] === true && { defaults: WITH_MEANING }),
  });
  if (flags['checkConfig'] === true) {
    for (const warning of warnings) console.error(warning);
    console.log('the settings are valid');
    process.exit(0);
  }
  const { stdio } = settings.mcp;
  // Over stdio, standard output must contain only MCP messages.
  const log = createLog({ ...settings.log, ...(stdio && { to: 'stderr' }) });
  for (const warning of [...warnings, ...problems]) log.warn({}, warning);
  // Loaded only here, so that client commands start without the server's code.
  const { startDocumentService } = await import('../docs-service.ts');
  const traces = readTraceSettings(env, 'quire-docs');
  const end = await startTracing(traces, log);
  const running = tracedUntilStopped(await startDocumentService({ settings, log, traces }), end);
  if (stdio) {
    log.info({ database: running.database }, 'MCP is served over standard input and output');
    return running;
  }
  console.log(`Quire document service listening on ${running.url} (database ${running.database})`);
  // Browsers cannot open unix sockets.
  const hasPages = running.listeners.http !== undefined && !running.url.startsWith(SOCKET);
  if (hasPages && settings.http.console) console.log(`  console:   ${running.url}/console`);
  if (hasPages) console.log(`  reference: ${running.url}/docs`);
  if (hasPages && settings.graphql.enabled) console.log(`  GraphQL:   ${running.url}/graphql`);
  if (running.listeners.grpc) console.log(`  gRPC:      ${running.listeners.grpc.url}`);
  if (running.listeners.mcp) console.log(`  MCP:       ${running.listeners.mcp.url}`);
  if (running.listeners.http) console.log(`  try next:  ${suggestion(curlUrl(running.url), settings)}`);
  return running;
}

/** Features that `npm start` enables, but not a service that is embedded in another program. */
const WITH_MEANING = { SVC_EMBEDDING_PROVIDER: 'builtin' };

/** The address in the form that curl accepts. */
const curlUrl = (
  url: string,
): string => (url.startsWith(SOCKET) ? `--unix-socket ${url.slice(SOCKET.length)} http://localhost` : url);

const SOCKET = 'unix:';

function suggestion(url: string, { auth, http }: Settings): string {
  if (auth.enabled)
    return `curl ${url}/v1/auth/login -H 'Content-Type: application/json' -d ` +
      `'{"username":"${auth.adminUsername}","password":"..."}'`;
  if (http.mode === 'read') return `curl ${url}/v1/stats`;
  return `curl ${url}/v1/add -H 'Content-Type: application/json' -d ` +
    `'{"collection":"notes","key":"hello","lang":"en","contentMd":"# Hello"}'`;
}

/** Lost documents that are listed; the rest is counted. */
const LISTED = 100;

/** The report of a repair, with a line for each table that had data and for each loss. */
export function describeSalvage({ tables, lostDocuments, notes }: SalvageReport): string[] {
  const lines = tables.filter(({ rows, damagedPages, damagedRows }) => rows + damagedPages + damagedRows > 0).map(
    ({ name, rows, damagedPages, damagedRows }) => {
      const damage = [...(damagedPages > 0 ? [`${damagedPages} damaged pages`] : []),
        ...(damagedRows > 0 ? [`${damagedRows} damaged rows`] : [])];
      return `${name}: ${rows} rows${damage.length > 0 ? `, passed over ${damage.join(' and ')}` : ''}`;
    },
  );
  const lost = lostDocuments.slice(0, LISTED).map(({ collection, key, lang }) =>
    `lost: ${key} (${lang}) of collection ${collection || '(unknown)'}`
  );
  const further = lostDocuments.length > LISTED ? [`lost: ${lostDocuments.length - LISTED} further documents`] : [];
  return [...lines, ...lost, ...further, ...notes];
}
