import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDocsServer } from '../../src/testkit/docs-server.ts';
import { API_TOKEN, startRunsServer } from '../../src/testkit/runs-server.ts';
import { LANGUAGES, reasonToSkip } from '../support/toolchains.ts';

// The programs of `examples/` against running servers: each generates its client from the description that the server
// publishes. QUIRE_TEST_CLIENTS names the languages to try.

const run = promisify(execFile);
const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples');

const SERVERS = {
  docs: async () => {
    const { url, stop } = await startDocsServer({ env: { SVC_AUDIT_ENABLED: 'true' } });
    return { url, stop };
  },
  runs: async () => {
    // No ship has the label, so runs stay queued.
    const { url, remove } = await startRunsServer(
      'projects:\n  - {id: alpha, repository: org/alpha, runs_on: [team=examples]}\n',
    );
    return { url, stop: remove };
  },
};
type Service = keyof typeof SERVERS;

/** The output of every program of a service: the code block of its section in `examples/README.md`. */
async function linesOf(service: Service): Promise<string[]> {
  const readme = await readFile(join(EXAMPLES, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${service}\n`))!;
  return /```text\n([^`]*)\n```/.exec(section)![1]!.split('\n');
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-client-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each(LANGUAGES)('a client generated in %s from the published description', (language) => {
  const reason = reasonToSkip(language);
  const skipped = reason === undefined ? '' : ` (skipped: ${reason})`;

  it.skipIf(reason !== undefined).each(Object.keys(SERVERS) as Service[])(
    `compiles, and its program does what a user of "%s" does${skipped}`,
    async (service) => {
      const server = await SERVERS[service]();
      try {
        const description = join(folder, 'description.json');
        await writeFile(description, await (await fetch(`${server.url}/openapi-3.0.json`)).text());
        const { stdout } = await run('bash', [join(EXAMPLES, language, 'run.sh'), service, description, server.url,
          join(folder, 'client')], {
          env: { ...process.env, ...(service === 'runs' ? { QUIRE_TOKEN: API_TOKEN } : {}) },
          maxBuffer: 64 * 2 ** 20,
        });
        expect(stdout.trim().split('\n')).toEqual(await linesOf(service));
      } finally {
        await server.stop();
      }
    },
    30 * 60_000,
  );
});

describe('the examples', () => {
  it('are of languages that are tried here', async () => {
    const folders = (await readdir(EXAMPLES, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map((
      { name },
    ) => name);
    expect(folders.filter((name) => !LANGUAGES.includes(name as never))).toEqual([]);
  });

  it.each(Object.keys(SERVERS) as Service[])('have their lines for %s in examples/README.md', async (service) => {
    expect((await linesOf(service)).length).toBeGreaterThan(3);
  });

  // Java and Rust take the parameters by their position, so a new one breaks their programs; they are compiled only
  // where their toolchains are.
  it.each([['java/Docs.java', 'docs'], ['java/Runs.java', 'runs'], ['java-native/Docs.java', 'docs'], [
    'java-native/Runs.java',
    'runs',
  ], ['rust/docs.rs', 'docs'], ['rust/runs.rs', 'runs']] as const)(
    'call operations with as many arguments as they have parameters: %s',
    async (file, service) => {
      const program = await readFile(join(EXAMPLES, file), 'utf8');
      const isRust = file.startsWith('rust/');
      const counts = await parametersOf(service);
      const calls = [
        ...program.matchAll(
          isRust ? /_api::(\w+)\(&configuration(?:, )?/g : /\b(?:audit|documents|fulltext|projects|runs)\.(\w+)\(/g,
        ),
      ];
      expect(calls.length).toBeGreaterThan(3);
      for (const { 0: start, 1: name = '', index } of calls) {
        const id = isRust ? name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) : name;
        expect([id, argumentsFrom(program, index + start.length)]).toEqual([id, counts.get(id)]);
      }
    },
  );
});

/** The number of parameters of each operation in the description for generators, its body included. */
async function parametersOf(service: Service): Promise<Map<string, number>> {
  interface Operation {
    readonly operationId?: string;
    readonly parameters?: readonly object[];
    readonly requestBody?: object;
  }
  const { paths } = JSON.parse(
    await readFile(join(import.meta.dirname, '..', '..', 'generated', service, 'openapi-3.0.json'), 'utf8'),
  ) as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  return new Map(
    operations.map((
      { operationId = '', parameters = [], requestBody },
    ) => [operationId, parameters.length + (requestBody === undefined ? 0 : 1)]),
  );
}

/** The number of arguments of a call, whose list begins at this position. */
function argumentsFrom(program: string, from: number): number {
  let [depth, commas, at] = [0, 0, from];
  for (; depth > 0 || program[at] !== ')'; at++) {
    if ('([{'.includes(program[at]!)) depth++;
    if (')]}'.includes(program[at]!)) depth--;
    if (program[at] === ',' && depth === 0) commas++;
  }
  return program.slice(from, at).trim() === '' ? 0 : commas + 1;
}
