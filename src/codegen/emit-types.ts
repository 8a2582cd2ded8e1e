import type { OpenApiDocument } from './openapi-types.ts';
import type { OperationModel } from './operation-model.ts';

export const BANNER = '// Generated from the specifications by `npm run generate`. Do not edit.\n';

/** The table of operations and the map of their input and output types, as one TypeScript module. */
export function emitOperations(service: string, models: readonly OperationModel[]): string {
  const imported = models.flatMap((
    model,
  ) => [`${pascal(model.spec.id)}Data`, ...(isJson(model) ? [`${pascal(model.spec.id)}Responses`] : [])]);
  return [BANNER, `import type { Download, FlatInput, Operation, OperationSpec } from '../../src/operations/index.ts';`,
    `import type {\n${imported.map((name) => `  ${name},`).join('\n')}\n} from './sdk/types.gen.ts';\n`,
    `/** Input and output of each operation of the ${service} service. */`, `export interface Operations {`,
    ...models.map((model) => `  ${model.spec.id}: Operation<${inputType(model)}, ${outputType(model)}>;`), `}\n`,
    `export type OperationId = keyof Operations;\n`, `/** Route, access and media types of each operation. */`,
    `export const operations: { readonly [K in OperationId]: OperationSpec } = {`,
    ...models.map((model) => `  ${model.spec.id}: ${JSON.stringify(model.spec)},`), `};`, ''].join('\n');
}

function inputType(model: OperationModel): string {
  const data = `${pascal(model.spec.id)}Data`;
  const parts = [...(model.has.body ? [`NonNullable<${data}['body']>`] : []),
    ...(model.has.path ? [`NonNullable<${data}['path']>`] : []),
    ...(model.has.query ? [`NonNullable<${data}['query']>`] : []),
    ...model.headers.map(({ field, required }) => `{ ${field}${required ? '' : '?'}: string }`)];
  if (parts.length === 0) return 'Record<never, never>';
  const defaulted = model.defaulted.map((name) => `'${name}'`).join(' | ');
  return `FlatInput<${parts.join(' & ')}${defaulted ? `, ${defaulted}` : ''}>`;
}

function outputType(model: OperationModel): string {
  if (model.spec.status === 204 || model.spec.produces.length === 0) return 'void';
  return isJson(model) ? `${pascal(model.spec.id)}Responses[${model.spec.status}]` : 'Download';
}

function isJson(model: OperationModel): boolean {
  return model.spec.produces.includes('application/json');
}

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Emits the version of a service's interface, `info.version` of its specification. */
export function emitVersion({ info }: OpenApiDocument): string {
  return [BANNER, '/** Version of the interface. */', `export const API_VERSION = '${info.version}';`, ''].join('\n');
}
