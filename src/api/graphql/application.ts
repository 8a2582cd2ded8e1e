import { makeExecutableSchema } from '@graphql-tools/schema';
import { createApplication, type Application } from 'graphql-modules';
import { AREAS } from './areas/index.ts';
import { withGuards } from './directives.ts';

/** The schema parts of all areas as one schema, guarded by its directives, and the function that executes it. */
export function createGraphqlApplication(): Application {
  return createApplication({ modules: AREAS, schemaBuilder: (parts) => withGuards(makeExecutableSchema(parts)) });
}
