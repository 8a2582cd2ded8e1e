import { createClient } from '@hey-api/openapi-ts';
import { CHOICES, isFieldChoice } from './field-choices.ts';
import type { SchemaObject } from './openapi-types.ts';

/**
 * Writes the typed fetch client of a bundled document into a folder. The description names no host, for it is read from
 * the server that it describes; a client that is told of none calls `baseUrl`.
 */
export async function generateSdk(bundledFile: string, folder: string, baseUrl: string): Promise<void> {
  await createClient({
    input: bundledFile,
    output: { path: folder, module: { extension: '.ts' } },
    logs: { file: false, level: 'error' },
    parser: { patch: { schemas: (_name, schema) => dropWhatTypesCannotSay(schema as SchemaObject) } },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', { name: '@hey-api/client-fetch', baseUrl }],
  });
}

/**
 * The generator takes what may follow the first items of an array for one item more that has to be there, and makes a
 * union of a body of which one field or another has to be there.
 */
function dropWhatTypesCannotSay(schema: SchemaObject): void {
  if (schema['prefixItems'] !== undefined) delete schema.items;
  for (const keyword of CHOICES) if (isFieldChoice(schema[keyword])) delete schema[keyword];
}
