import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers';
import { concatAST, parse } from 'graphql';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BANNER } from './emit.ts';

/** Types that resolvers return instead of the plain type, because its fields are resolved on demand. */
const MAPPERS = { ReindexResult: '../../src/api/graphql/areas/vectors.ts#Reindexed' };

const CONFIG = {
  scalars: {
    JSONObject: 'Record<string, unknown>',
    Time: 'number',
    Long: 'number',
    FilterValue: 'string | number | boolean',
    ID: 'string',
  },
  strictScalars: true,
  contextType: '../../src/api/graphql/context.ts#GraphqlContext',
  mappers: MAPPERS,
  enumsAsTypes: true,
  useTypeImports: true,
  immutableTypes: true,
  emitLegacyCommonJSImports: false,
  importExtension: '.ts',
  // A field that a resolver leaves out is null, as the library completes it.
  maybeValue: 'T | null | undefined',
  inputMaybeValue: 'T | null',
};

/**
 * Generates, from the SDL below `graphql/`, the types of its resolvers and, by area, the SDL itself as a module, so
 * that a server finds it whether it runs from source or from the package.
 */
export async function generateGraphql(source: string, folder: string): Promise<void> {
  const areas = await readAreas(source);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'sdl.ts'), emitSdl(areas));
  await writeFile(join(folder, 'resolvers.ts'), await emitResolverTypes(areas));
}

async function readAreas(source: string): Promise<Map<string, string>> {
  const files = (await readdir(source)).filter((name) => name.endsWith('.graphql')).sort();
  return new Map(
    await Promise.all(files.map(async (name) =>
      [basename(name, '.graphql'), await readFile(join(source, name), 'utf8')] as const
    )),
  );
}

function emitSdl(areas: ReadonlyMap<string, string>): string {
  const entries = [...areas].map(([area, text]) => `  ${area}: ${JSON.stringify(text)},`);
  return [BANNER, '/** The GraphQL schema, one part an area. */', 'export const SDL = {', ...entries, '} as const;', '']
    .join('\n');
}

async function emitResolverTypes(areas: ReadonlyMap<string, string>): Promise<string> {
  const types = await codegen({
    filename: 'resolvers.ts',
    documents: [],
    config: CONFIG,
    schema: concatAST([...areas.values()].map((text) => parse(text))),
    plugins: [{ typescript: {} }, { resolvers: {} }],
    pluginMap: { typescript, resolvers: typescriptResolvers },
  });
  return `${BANNER}\n${types.replace(/[ \t]+$/gm, '').trimEnd()}\n`;
}
