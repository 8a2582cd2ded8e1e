import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Configuration, CONFIGURATIONS, start, type Started } from './services.ts';

// main.ts [CONFIGURATION...] [OPTION OF SCHEMATHESIS...]: one run for each configuration; all of them if none is named.

const SCHEMATHESIS = process.env['SCHEMATHESIS'] ?? 'schemathesis';
const FOLDER = import.meta.dirname;

/**
 * The same requests in every run with one version of the specification; an option on the command line overrides these.
 */
const OPTIONS = ['--seed', '1', '--workers', '1', '--max-examples', '20', '--continue-on-failure',
  '--generation-database', 'none'];

const names = process.argv.slice(2).filter((word) => word in CONFIGURATIONS);
const options = process.argv.slice(2).filter((word) => !(word in CONFIGURATIONS));

/** An interrupt of this program ends the run; the service and its folder are removed as usual. */
const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());

for (const name of names.length > 0 ? names : Object.keys(CONFIGURATIONS)) {
  if (ended.signal.aborted) break;
  console.log(`\n${name}`);
  if (await runOn(CONFIGURATIONS[name]!, options) !== 0) process.exitCode = 1;
}

async function runOn(configuration: Configuration, more: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-schemathesis-'));
  const server = await start(configuration, folder);
  try {
    return await schemathesis(configuration, server, folder, more);
  } finally {
    const { stderr } = await server.end();
    // Only errors are shown, because the services log each failed request.
    const failures = stderr.split('\n').filter((line) => /ERROR|FATAL/.test(line));
    if (failures.length > 0) console.log(`\nLogged by the service:\n${failures.slice(0, 50).join('\n')}`);
    await rm(folder, { recursive: true });
  }
}

/** In the folder of the run, which keeps the input for `st replay`: the service no longer exists then. */
async function schemathesis({ checks, accepted }: Configuration, { url, token }: Started, folder: string,
  more: readonly string[]): Promise<number>
{
  const config = join(folder, 'schemathesis.toml');
  await writeFile(config, await readFile(join(FOLDER, 'schemathesis.toml'), 'utf8') + credential(token));
  const child = spawn(SCHEMATHESIS, ['--config-file', config, 'run', `${url}/openapi.json`, ...checks, ...OPTIONS,
    '--baseline', join(FOLDER, accepted), ...more], { cwd: folder, stdio: 'inherit' });
  ended.signal.addEventListener('abort', () => child.kill('SIGINT'));
  const [code] = await once(child, 'exit') as [number | null];
  return code ?? 1;
}

/** As a header of all requests it would replace the invalid credentials that some of them must have. */
function credential(token: string | undefined): string {
  return token === undefined ? '' : `\n[auth.openapi.bearer]\nbearer = ${JSON.stringify(token)}\n`;
}
