// Declares the part of graphql-modules that is used, because its package.json hides its types from ES modules.
declare module 'graphql-modules' {
  import type { DocumentNode, execute, GraphQLSchema } from 'graphql';

  export interface Module {
    readonly id: string;
    readonly typeDefs: readonly DocumentNode[];
  }
  export interface Application {
    readonly schema: GraphQLSchema;
    /** Returns an `execute` for this application's operations, which creates a context for each. */
    createExecution(): typeof execute;
  }
  export function createModule(
    config: { readonly id: string; readonly typeDefs: DocumentNode; readonly resolvers?: object },
  ): Module;
  export function createApplication(config: {
    readonly modules: readonly Module[];
    /** Makes one schema of all modules. */
    readonly schemaBuilder: (parts: { typeDefs: DocumentNode[]; resolvers: Record<string, never>[] }) => GraphQLSchema;
  }): Application;
}
