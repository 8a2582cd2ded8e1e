import { existsSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { runInForeground, type Running } from '../foreground.ts';
import { createLog } from '../logging/index.ts';
import { describeSettings, loadSettings, type Flags, type Settings } from '../settings/index.ts';

/** `quire docs`: the document service in the foreground. */
export function registerDocs(program: Command): void {
  const command = program
    .command('docs')
    .description('serve the document service')
    .option('-c, --config <file>', 'YAML file with settings')
    .option('--check-config', 'say whether the settings are valid, and start nothing')
    .option('--verify-db <file>', 'say whether a database file is sound, and start nothing')
    .addHelpText('after', '\nEvery setting is also an environment variable, such as SVC_PATH; the README lists them.\nExample:\n  $ quire docs --db data/quire.db --http-addr :11023');
  for (const { flag, meaning, onOff } of describeSettings()) {
    if (flag !== undefined) command.addOption(new Option(onOff ? `${flag} [on|off]` : `${flag} <value>`, meaning));
  }
  command.action((flags: Flags) => run(flags));
}

async function run(flags: Flags): Promise<void> {
  if (typeof flags['verifyDb'] === 'string') return verify(flags['verifyDb']);
  return runInForeground(() => start(flags));
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
  console.log(ok ? `${file} is sound` : `${file} is damaged`);
  process.exitCode = ok ? 0 : 1;
}

async function start(flags: Flags): Promise<Running> {
  const { settings, warnings } = loadSettings({ flags, env: process.env });
  if (flags['checkConfig'] === true) {
    for (const warning of warnings) console.error(warning);
    console.log('the settings are valid');
    process.exit(0);
  }
  const { stdio } = settings.mcp;
  // Over stdio, standard output speaks MCP and nothing else.
  const log = createLog({ ...settings.log, ...(stdio && { to: 'stderr' }) });
  for (const warning of warnings) log.warn({}, warning);
  // Loaded only here, so that the client commands start without the server's code.
  const { startDocumentService } = await import('../docs-service.ts');
  const running = await startDocumentService({ settings, log });
  if (stdio) {
    log.info({ database: settings.database.path }, 'MCP is served over standard input and output');
    return running;
  }
  console.log(`Quire document service listening on ${running.url} (database ${settings.database.path})`);
  if (running.listeners.http) console.log(`  reference: ${running.url}/docs`);
  if (running.listeners.http && settings.graphql.enabled) console.log(`  GraphQL:   ${running.url}/graphql`);
  if (running.listeners.grpc) console.log(`  gRPC:      ${running.listeners.grpc.url}`);
  if (running.listeners.mcp) console.log(`  MCP:       ${running.listeners.mcp.url}`);
  if (running.listeners.http) console.log(`  try next:  ${suggestion(running.url, settings)}`);
  return running;
}

function suggestion(url: string, { auth, http }: Settings): string {
  if (auth.enabled) return `curl ${url}/v1/auth/login -H 'Content-Type: application/json' -d '{"username":"${auth.adminUsername}","password":"..."}'`;
  if (http.mode === 'read') return `curl ${url}/v1/stats`;
  return `curl ${url}/v1/add -H 'Content-Type: application/json' -d '{"collection":"notes","key":"hello","lang":"en","contentMd":"# Hello"}'`;
}
