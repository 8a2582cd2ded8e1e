import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { type OpenApiDocument, SpecificationError } from '../openapi-types.ts';
import { breakingChanges } from './descriptions.ts';
import { UNDECIDED } from './schemas.ts';
import { withoutProse } from './without-prose.ts';

/** Where the description of a service's last release is stored, below the repository's root. */
const publishedFile = (service: string): string => join('openapi', 'published', `${service}.json`);

/**
 * Findings that were reviewed and are compatible, each with its reason: `finding: reason`. Only findings that a program
 * cannot decide may be listed, such as a pattern that now accepts more; all others are correct as reported.
 */
const acceptedFile = (service: string): string => join('openapi', 'published', `${service}.accepted.yaml`);

/**
 * Throws SpecificationError if a description breaks clients of the last release, unless its major version is higher.
 * Before the first release, every change is compatible.
 */
export async function checkPublished(root: string, service: string, present: OpenApiDocument): Promise<void> {
  const text = await textOf(join(root, publishedFile(service)));
  if (text === undefined) return;
  const published = JSON.parse(text) as OpenApiDocument;
  if (major(present) > major(published)) return;
  const accepted = (parse(await textOf(join(root, acceptedFile(service))) ?? '') ?? {}) as Record<string, string>;
  const findings = breakingChanges(published, present).filter((finding) =>
    !(finding in accepted && finding.includes(` ${UNDECIDED} `))
  );
  if (findings.length === 0) return;
  throw new SpecificationError(
    `${findings.length} changes of the ${service} description break clients of version ${published.info.version}:\n${
      findings.slice(0, 50).join('\n')
    }\n` + `Keep what clients have, or make it version ${major(published) + 1}.0.0 (info.version)`,
  );
}

/** Makes a description that of the last release. */
export async function publishDescription(root: string, service: string, present: OpenApiDocument): Promise<void> {
  const file = join(root, publishedFile(service));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${inLines(withoutProse(present), 3)}\n`);
  await rm(join(root, acceptedFile(service)), { force: true });
}

/** JSON with one line for each operation and schema, so that changes are readable in a diff. */
function inLines(node: unknown, depth: number): string {
  if (depth === 0 || node === null || typeof node !== 'object' || Array.isArray(node)) return JSON.stringify(node);
  return `{\n${
    Object.entries(node).map(([key, value]) => `${JSON.stringify(key)}:${inLines(value, depth - 1)}`).join(',\n')
  }\n}`;
}

async function textOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

const major = ({ info }: OpenApiDocument): number => Number.parseInt(info.version, 10);
