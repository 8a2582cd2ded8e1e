import { BANNER } from './emit-types.ts';
import type { OpenApiDocument } from './openapi-types.ts';

/** Emits the version of a service's interface, `info.version` of its specification. */
export function emitVersion({ info }: OpenApiDocument): string {
  return [BANNER, '/** Version of the interface. */', `export const API_VERSION = '${info.version}';`, ''].join('\n');
}
