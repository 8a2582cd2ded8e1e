import { createClient } from '@hey-api/openapi-ts';

/** Writes the typed fetch client of a bundled document into a folder. */
export async function generateSdk(bundledFile: string, folder: string): Promise<void> {
  await createClient({
    input: bundledFile,
    output: { path: folder, module: { extension: '.ts' } },
    logs: { file: false, level: 'error' },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  });
}
