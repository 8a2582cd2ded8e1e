import { execFile } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SpecificationError } from './openapi-types.ts';

const run = promisify(execFile);

/** The image of the last release. It changes with a release, and never to make a check pass. */
export const PUBLISHED = 'published.binpb';

/** The image that the document service reads at its start and serves by reflection. */
export const IMAGE = 'docs.binpb';

/** The fleet's messages: unlike those of the document service, few enough for generated types. */
const FLEET = {
  version: 'v2',
  // Type stripping does not support enums, so scripts and declarations are written instead of TypeScript.
  plugins: [{
    local: [process.execPath, installed('@bufbuild/protoc-gen-es', 'protoc-gen-es')],
    out: '.',
    opt: ['target=js+dts', 'import_extension=js'],
  }],
};

/**
 * Checks the proto files below `root` and writes their image into `target`. Throws SpecificationError if they do not
 * lint, or would break a client of the last release.
 */
export async function generateProto(root: string, target: string): Promise<void> {
  await buf(root, ['lint'], 'the proto files do not lint');
  if (await access(join(root, PUBLISHED)).then(() => true, () => false)) {
    await buf(root, ['breaking', '--against', PUBLISHED], 'the proto files break clients of what was released');
  }
  await mkdir(target, { recursive: true });
  // Comments are for readers of the source; without them, the image has a third of the size.
  await buf(root, ['build', '--exclude-source-info', '--path', 'quire/docs', '-o', join(target, IMAGE)],
    'the proto files do not compile');
  await buf(root, ['generate', '--template', JSON.stringify(FLEET), '--path', 'quire/fleet', '-o', target],
    'the messages of the fleet cannot be generated');
}

/**
 * Makes the current proto files those of the last release: every later check refuses changes that would break their
 * clients.
 */
export async function publishProto(root: string): Promise<void> {
  await buf(root, ['build', '--exclude-source-info', '-o', PUBLISHED], 'the proto files do not compile');
}

async function buf(cwd: string, args: readonly string[], problem: string): Promise<void> {
  try {
    await run(process.execPath, [installed('@bufbuild/buf', 'buf'), ...args], { cwd });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new SpecificationError(`${problem}:\n${stdout}${stderr}`);
  }
}

function installed(name: string, command: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', command);
}
