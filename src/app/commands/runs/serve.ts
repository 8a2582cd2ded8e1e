import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { formatAddress } from '../../../lib/address.ts';
import { ConfigError } from '../../../lib/config-error.ts';
import type { LoadedRunsConfig } from '../../../runs/config/index.ts';
import { runInForeground, type Running } from '../../foreground.ts';
import { createLog } from '../../logging/index.ts';
import { sealProcess } from '../../secrecy/index.ts';
import { PROGRAM } from '../shared/program.ts';

/** The commented example, which lies at the top of the checkout and of the package. */
const EXAMPLE = fileURLToPath(new URL('../../../../runs.example.yaml', import.meta.url));

interface Flags {
  readonly config?: string;
  readonly checkConfig?: boolean;
}

/** `quire runs`: the run-queue service in the foreground. */
export function serveCommand(program: Command): Command {
  return program
    .command('runs')
    .description('serve the run-queue service; with a command, be its client')
    .option('-c, --config <file or url>', 'YAML configuration; otherwise RUNS_CONFIG names it, otherwise it is runs.example.yaml')
    .option('--check-config', 'say whether the configuration is valid, and start nothing')
    .addHelpText('after', '\nExamples:\n  $ quire runs --config runs.yaml\n  $ quire runs submit demo pipeline hello --follow')
    .action((flags: Flags) => runInForeground(() => start(flags)));
}

async function start(flags: Flags): Promise<Running> {
  const { env, problems } = await sealProcess();
  // Loaded only here, so that the client commands start without the server's code.
  const { loadRunsConfig } = await import('../../../runs/config/index.ts');
  const loaded = await loadRunsConfig({ source: sourceOf(flags.config, env), env });
  refuseUnbuilt(loaded);
  if (flags.checkConfig) {
    console.log(`${loaded.source} is valid`);
    process.exit(0);
  }
  const log = createLog({ format: 'text', level: 'info' });
  for (const problem of problems) log.warn({}, problem);
  const { startRunQueueService } = await import('../../runs-service.ts');
  const running = await startRunQueueService({ loaded, variables: env, log });
  console.log(`Quire run-queue service listening on ${running.url} (configuration ${loaded.source})`);
  console.log(`  reference: ${running.url}/docs`);
  if (running.fleet !== undefined) console.log(`  ships:     connect to ${running.fleet.address}, join at ${running.fleet.enrol}`);
  console.log(`  try next:  ${nextStep(loaded, running.url)}`);
  return running;
}

/** File or URL of the configuration: the one that is named, that of the environment, or the example. */
export function sourceOf(named: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  return named ?? (env['RUNS_CONFIG'] || EXAMPLE);
}

/** What a new user can do now. */
function nextStep({ config, apiTokens }: LoadedRunsConfig, url: string): string {
  if (apiTokens.length === 0) return 'set runtime.api_token_env in the configuration, which queueing needs; reading is open';
  const pipeline = config.pipelines[0];
  const project = config.projects.find(({ enabled, id }) => enabled && (pipeline?.projects?.includes(id) ?? true));
  const at = url.endsWith(':11030') ? '' : ` --url ${url}`;
  const what = project === undefined ? 'list' : pipeline === undefined ? `submit ${project.id} diagnostic --follow` : `submit ${project.id} pipeline ${pipeline.name} --follow`;
  return `RUNS_API_TOKEN=... ${PROGRAM} runs ${what}${at}`;
}

/** What the configuration can ask for and this build does not have: refused, so that nobody relies on it. */
function refuseUnbuilt({ config }: LoadedRunsConfig): void {
  const problems = [
    ...(config.storage.driver === 'postgres' ? ['storage.driver: PostgreSQL is not built yet; use sqlite'] : []),
    ...(config.listen.kind === 'unix' ? [`listen: a unix socket is not possible, got ${formatAddress(config.listen)}`] : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
}
