import { GIVEN, type Protocol } from './given-names.ts';
import type { OperationNames } from './operation-names.ts';

const PROTOCOLS: readonly Protocol[] = ['grpc', 'graphql', 'mcp'];

/** Abbreviations are written with capitals in some protocols, so letter case does not count. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** A query of GraphQL is named for what it returns, without the verb. */
const WITHOUT_VERB = /^(?:get|list)(?=[A-Z])/;

/** Whether a name is the `operationId` in the form of the protocol: `AddDocument`, `addDocument` or `add_document`. */
export function followsFrom(id: string, protocol: Protocol, name: string): boolean {
  return plain(name) === plain(id) || (protocol === 'graphql' && plain(name) === plain(id.replace(WITHOUT_VERB, '')));
}

/**
 * Problems of the names of operations: those that do not follow from the `operationId` and have no reason, reasons for
 * names that do not exist or that follow, and commands that do not exist.
 */
export function namingProblems(operations: readonly OperationNames[], commands: ReadonlySet<string>): string[] {
  return [...PROTOCOLS.flatMap((protocol) => problemsOf(protocol, operations)),
    ...operations.flatMap(({ id, commands: named }) =>
      named.filter((name) => !commands.has(name)).map((name) => `${id}: there is no command quire ${name}`)
    )];
}

function problemsOf(protocol: Protocol, operations: readonly OperationNames[]): string[] {
  const given = new Set(GIVEN.flatMap(({ names }) => names[protocol] ?? []));
  const different = new Map(
    operations.flatMap(({ id, [protocol]: names }) =>
      names.filter((name) => !followsFrom(id, protocol, name)).map((name) => [name, id] as const)
    ),
  );
  return [
    ...[...different].filter(([name]) => !given.has(name)).map(([name, id]) =>
      `${protocol}: ${name} calls ${id}. Name it for the operation, or give the reason in ` +
      'src/codegen/names/given-names.ts'
    ),
    ...[...given].filter((name) => !different.has(name)).map((name) =>
      `${protocol}: given-names.ts has a reason for ${name}, which needs none or does not exist`
    ),
  ];
}
