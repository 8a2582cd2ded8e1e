import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE } from '../support/cache.ts';

const SOURCES = join(import.meta.dirname, 'lucene10');
/** Minimum Java version for Lucene 10. */
const LEAST_VERSION = 21;
const NEEDED = ['lucene-core', 'lucene-analysis-common', 'lucene-facet'];
/**
 * Lucene decodes with SIMD instructions if this module is available, and maps files without a warning if this is
 * enabled.
 */
const FLAGS = ['-Xmx3g', '--add-modules', 'jdk.incubator.vector', '--enable-native-access=ALL-UNNAMED',
  '-Dsun.net.httpserver.nodelay=true'];

let classes: string | undefined;

/**
 * Why Lucene 10 cannot run here, and what to do about it; undefined if it can. The first call makes Maven copy the
 * jars.
 */
export function luceneReason(): string | undefined {
  const version = javaVersion();
  if (version === undefined || version < LEAST_VERSION)
    return `needs a JDK of Java ${LEAST_VERSION} or newer${
      version === undefined ? '' : `, and java is ${version}`
    }: name the folder of one in QUIRE_BENCH_JAVA21`;
  if (spawnSync(command('javac'), ['-version']).status !== 0)
    return 'needs javac beside java: name the folder of a JDK in QUIRE_BENCH_JAVA21';
  try {
    const found = jars();
    const absent = NEEDED.filter((name) => !found.some((jar) => jar.includes(`${name}-10.`)));
    return absent.length === 0 ? undefined : `lacks ${absent.join(' and ')} 10.x in the folder of QUIRE_BENCH_LUCENE10`;
  } catch (error) {
    return `needs its jars: let \`mvn\` be on the path and reach its repository, or name a folder with ${
      NEEDED.join(', ')
    } 10.x in QUIRE_BENCH_LUCENE10 (${(error as Error).message.split('\n')[0]})`;
  }
}

/** The command line of `lucene10/Main.java` with its parameters. */
export function luceneCommand(parameters: Readonly<Record<string, string | number | boolean>>): [string, string[]] {
  classes ??= compile();
  const named = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return [command('java'), [...FLAGS, '-cp', [classes, ...jars()].join(':'), 'Main', ...named]];
}

function command(name: string): string {
  const jdk = process.env['QUIRE_BENCH_JAVA21'];
  return jdk === undefined ? name : join(jdk, 'bin', name);
}

/** A number such as 21; undefined without java. */
function javaVersion(): number | undefined {
  const { status, stderr } = spawnSync(command('java'), ['-version'], { encoding: 'utf8' });
  const found = /version "(\d+)/.exec(stderr ?? '')?.[1];
  return status === 0 && found !== undefined ? Number(found) : undefined;
}

/**
 * Paths of the jars: from the configured folder, or those that Maven copied into the cache once. Throws if they are not
 * available.
 */
function jars(): string[] {
  const named = process.env['QUIRE_BENCH_LUCENE10'];
  const folder = named ?? join(CACHE, 'lucene10');
  if (named === undefined && !existsSync(folder)) copyJars(folder);
  return readdirSync(folder).filter((file) => file.endsWith('.jar')).map((file) => join(folder, file));
}

/**
 * First into a temporary folder beside it, so that an existing folder is always complete. `-C` makes Maven verify the
 * checksums.
 */
function copyJars(folder: string): void {
  mkdirSync(CACHE, { recursive: true });
  const own = mkdtempSync(`${folder}-`);
  execFileSync('mvn', ['-q', '-B', '-C', '-f', join(SOURCES, 'pom.xml'), 'dependency:copy-dependencies',
    `-DoutputDirectory=${own}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(own, folder);
}

function compile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-lucene-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const files = readdirSync(SOURCES).filter((name) => name.endsWith('.java')).map((name) => join(SOURCES, name));
  execFileSync(command('javac'), ['-nowarn', '-cp', jars().join(':'), '-d', folder, ...files], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return folder;
}
