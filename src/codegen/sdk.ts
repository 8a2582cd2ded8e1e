import { createClient } from '@hey-api/openapi-ts';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CHOICES, isFieldChoice } from './description/plain-schema.ts';
import type { SchemaObject } from './openapi-types.ts';

/**
 * Writes the typed fetch client of a bundled document into a folder. The description names no host, because it is read
 * from the server that it describes; a client without a configured host calls `baseUrl`.
 */
export async function generateSdk(bundledFile: string, folder: string, baseUrl: string): Promise<void> {
  await createClient({
    input: bundledFile,
    output: { path: folder, module: { extension: '.ts' } },
    logs: { file: false, level: 'error' },
    parser: { patch: { schemas: (_name, schema) => dropWhatTypesCannotSay(schema as SchemaObject) } },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', { name: '@hey-api/client-fetch', baseUrl }],
  });
  const file = join(folder, 'sdk.gen.ts');
  await writeFile(file, sharingCredentials(sendingLinesAsTheyAre(await readFile(file, 'utf8'))));
}

/**
 * The generator recognises few media types for text that is not JSON, and would put the lines of this one in quotes.
 */
function sendingLinesAsTheyAre(source: string): string {
  return source.replace(
    /\n( +)(security: .*\n +url: .*\n +\.\.\.options,\n +headers: \{\n +'Content-Type': 'application\/x-ndjson')/g,
    '\n$1bodySerializer: null,\n$1$2',
  );
}

/** Most operations accept the same credentials, which would be a fifth of the SDK if each listed them. */
function sharingCredentials(source: string): string {
  const [, schemes] = /^ +security: (\[.*\]),$/m.exec(source) ?? [];
  if (schemes === undefined) return source;
  const shared = source.replaceAll(`security: ${schemes},`, 'security: CREDENTIALS,');
  return shared.replace('\nexport type Options<',
    `\n/** Credentials that an operation accepts. */\nconst CREDENTIALS = ${schemes} as const;\n\nexport type Options<`);
}

/**
 * The generator interprets the optional further items of an array as one required item, and generates a union for a
 * body that requires one of several fields.
 */
function dropWhatTypesCannotSay(schema: SchemaObject): void {
  if (schema['prefixItems'] !== undefined) delete schema.items;
  for (const keyword of CHOICES) if (isFieldChoice(schema[keyword])) delete schema[keyword];
}
