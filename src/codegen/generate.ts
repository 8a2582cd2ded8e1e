import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { buildKernels } from './build-kernels.ts';
import { bundleSpecification } from './bundle.ts';
import { emitInputs } from './emit-inputs.ts';
import { emitOperations } from './emit-types.ts';
import { generateGraphql } from './graphql.ts';
import { generateMcpTools } from './mcp-tools.ts';
import { modelOperations } from './operation-model.ts';
import { generateProto } from './proto.ts';
import { generateSdk } from './sdk.ts';
import { SERVICES, type ServiceName } from './services.ts';

/** Writes everything that is derived from the specifications and the kernels below `root` into `target`. */
export async function generateAll(root: string, target: string): Promise<void> {
  for (const service of SERVICES) await generateService(root, service, join(target, service));
  await generateGraphql(join(root, 'graphql'), join(target, 'graphql'));
  await generateProto(join(root, 'proto'), join(target, 'proto'));
  await buildKernels(root, join(target, 'wasm'));
}

/** Writes what one service's specification says into `folder`; the tools of MCP into `mcp` beside it. */
export async function generateService(root: string, service: ServiceName, folder: string): Promise<void> {
  const document = await bundleSpecification(join(root, 'openapi', service, 'openapi.yaml'));
  const models = modelOperations(document);
  await mkdir(folder, { recursive: true });
  const json = `${JSON.stringify(document, null, 1)}\n`;
  await writeFile(join(folder, 'openapi.json'), json);
  await writeFile(join(folder, 'openapi.yaml'), stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }));
  await writeFile(join(folder, 'operations.ts'), emitOperations(service === 'docs' ? 'document' : 'run-queue', models));
  await writeFile(join(folder, 'inputs.json'), emitInputs(document, models));
  await generateSdk(resolve(folder, 'openapi.json'), join(folder, 'sdk'));
  if (service === 'docs') await generateMcpTools(document, models, join(folder, '..', 'mcp'));
}
