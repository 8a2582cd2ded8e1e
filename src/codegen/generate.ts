import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { KEPT_TOKEN_TABLES, makeTokenTables, packTokenTables, tokenTablesVersion } from '../text/token-tables.ts';
import { buildConsole } from './build-console.ts';
import { buildKernelsInThread } from './build-kernels.ts';
import { bundleSpecification, lintDescription } from './bundle.ts';
import { checkPublished } from './compatibility/published.ts';
import { plainDescription } from './description/plain.ts';
import { publicDescription } from './description/public.ts';
import { emitClientFacts, emitInputs, emitOperations, emitVersion } from './emit.ts';
import { generateGraphql } from './graphql.ts';
import { generateKernelConstants } from './kernel-constants.ts';
import { DEFAULT_ADDRESS, type ServiceName, SERVICES } from './manifest.ts';
import { generateMcpTools } from './mcp-tools.ts';
import { modelOperations } from './operation-model.ts';
import { generateProto } from './proto.ts';
import { generateSdk } from './sdk.ts';
import { checkExamples, lintWithSpectral } from './spectral.ts';

/** Writes everything that is generated from the specifications and the kernels below `root` into `target`. */
export async function generateAll(root: string, target: string): Promise<void> {
  await allOf([buildKernelsInThread(root, join(target, 'wasm')),
    generateProto(join(root, 'proto'), join(target, 'proto')), generateHere(root, target)]);
}

/** Waits for all steps even if one fails, so that none of them writes into a folder that is being removed. */
async function allOf(steps: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(steps)) if (result.status === 'rejected') throw result.reason;
}

/** What neither another thread nor another program generates. */
async function generateHere(root: string, target: string): Promise<void> {
  for (const service of SERVICES) await generateService(root, service, join(target, service));
  await generateGraphql(join(root, 'graphql'), join(target, 'graphql'));
  await buildConsole(root, target);
  await generateKernelConstants(root, join(target, 'kernels'));
  await mkdir(join(target, 'text'), { recursive: true });
  await writeFile(join(target, 'text', KEPT_TOKEN_TABLES), packTokenTables(makeTokenTables(), tokenTablesVersion()));
}

/**
 * Writes the files generated from one service's specification into `folder`, and the MCP tools into `mcp` beside it.
 */
async function generateService(root: string, service: ServiceName, folder: string): Promise<void> {
  const source = join(root, 'openapi', service, 'openapi.yaml');
  const document = await bundleSpecification(source);
  checkExamples(document, service);
  const models = modelOperations(document);
  const full = publicDescription(document);
  const plain = plainDescription(full);
  for (const [description, name] of [[full, service], [plain, `${service} 3.0`]] as const) {
    await lintDescription(description, source);
    await lintWithSpectral(description, name);
  }
  await checkPublished(root, service, full);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'openapi.json'), `${JSON.stringify(full, null, 1)}\n`);
  await writeFile(join(folder, 'openapi.yaml'), stringify(full, { lineWidth: 0, aliasDuplicateObjects: false }));
  await writeFile(join(folder, 'openapi-3.0.json'), `${JSON.stringify(plain, null, 1)}\n`);
  await writeFile(join(folder, 'operations.ts'), emitOperations(service === 'docs' ? 'document' : 'run-queue', models));
  await writeFile(join(folder, 'inputs.json'), emitInputs(document, models));
  await writeFile(join(folder, 'client-facts.ts'), emitClientFacts(document, models));
  await writeFile(join(folder, 'version.ts'), emitVersion(document));
  await generateSdk(resolve(folder, 'openapi.json'), join(folder, 'sdk'), DEFAULT_ADDRESS[service]);
  if (service === 'docs') await generateMcpTools(document, models, join(folder, '..', 'mcp'));
}
