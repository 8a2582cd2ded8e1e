import { makeExecutableSchema } from '@graphql-tools/schema';
import { type Application, createApplication } from 'graphql-modules';
import { AREAS } from './areas/index.ts';
import { countingMutations } from './count-mutations.ts';

/**
 * The schema parts of all areas as one schema, and the function that executes it. `@auth` and `@hasRole` only describe:
 * each field invokes an operation, which refuses callers itself, so that the audit log has the attempt.
 */
export function createGraphqlApplication(): Application {
  return createApplication({
    modules: AREAS,
    schemaBuilder: (parts) => countingMutations(makeExecutableSchema(parts)),
  });
}
