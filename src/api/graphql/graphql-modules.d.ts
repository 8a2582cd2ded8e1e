// What is used of graphql-modules, whose package.json hides its own types from ES modules.
declare module 'graphql-modules' {
  import type { DocumentNode, execute, GraphQLSchema } from 'graphql';

  export interface Module {
    readonly id: string;
    readonly typeDefs: readonly DocumentNode[];
  }
  export interface Application {
    readonly schema: GraphQLSchema;
    /** `execute` for operations of this application, with a context of its own for each. */
    createExecution(): typeof execute;
  }
  export function createModule(config: { readonly id: string; readonly typeDefs: DocumentNode; readonly resolvers?: object }): Module;
  export function createApplication(config: {
    readonly modules: readonly Module[];
    /** Makes the schema of what the modules have together. */
    readonly schemaBuilder: (parts: { typeDefs: DocumentNode[]; resolvers: Record<string, never>[] }) => GraphQLSchema;
  }): Application;
}
