import { Kind, parse } from 'graphql';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operations as docsOperations } from '../../../generated/docs/operations.ts';
import { tools } from '../../../generated/mcp/tools.ts';
import { operations as runsOperations } from '../../../generated/runs/operations.ts';
import { RPCS } from '../../api/grpc/docs/rpcs.ts';
import { STREAMS } from '../../api/grpc/docs/services.ts';
import * as access from '../../app/commands/areas/access.ts';
import * as automation from '../../app/commands/areas/automation.ts';
import * as collections from '../../app/commands/areas/collections.ts';
import { JOBS, SINGLE } from '../../app/commands/areas/maintenance.ts';
import type { CommandGroup } from '../../app/commands/operations/catalogue.ts';
import { COMMANDS_OF_DOCS, COMMANDS_OF_RUNS, type Protocol } from './given-names.ts';

/** One operation with its names. A protocol may have none, or several for variants of an operation. */
export interface OperationNames extends Readonly<Record<Protocol, readonly string[]>> {
  readonly id: string;
  readonly area: string;
  /** Method and path. */
  readonly http: string;
  /** Commands of `quire`; `quire call ID` calls any operation of the document service. */
  readonly commands: readonly string[];
}

/** A field of GraphQL's root types. */
interface RootField {
  readonly name: string;
  readonly operation: string | undefined;
}

/** The operations of the document service, in the order of the specification. */
export async function namesOfDocs(root: string): Promise<OperationNames[]> {
  const [fields, commands] = [await rootFields(join(root, 'graphql')), commandsOfDocs()];
  const rpcs = Object.entries({ ...RPCS, ...STREAMS }).map(([name, { operation }]) => ({ name, operation }));
  return Object.values(docsOperations).map(({ id, area, method, path }) => ({
    id,
    area,
    http: `${method} ${path}`,
    grpc: namesOf(rpcs, id),
    graphql: namesOf(fields, id),
    mcp: namesOf(tools, id),
    commands: namesOf(commands, id),
  }));
}

/** The operations of the run queue, which has no other protocol for clients than HTTP. */
export function namesOfRuns(): OperationNames[] {
  return Object.values(runsOperations).map(({ id, area, method, path }) => ({
    id,
    area,
    http: `${method} ${path}`,
    grpc: [],
    graphql: [],
    mcp: [],
    commands: COMMANDS_OF_RUNS[id] ?? [],
  }));
}

const namesOf = (named: readonly { readonly name: string; readonly operation?: string | undefined }[],
  id: string): string[] => named.filter(({ operation }) => operation === id).map(({ name }) => name);

/** The description of a field names its operation in parentheses. */
async function rootFields(folder: string): Promise<RootField[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.graphql')).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const types = texts.flatMap((text) => parse(text).definitions).flatMap((
    each,
  ) => (each.kind === Kind.OBJECT_TYPE_EXTENSION && ['Query', 'Mutation'].includes(each.name.value) ? [each] : []));
  return types.flatMap(({ fields = [] }) => fields).map(({ name, description }) => ({
    name: name.value,
    operation: /\(`([A-Za-z]+)`/.exec(description?.value ?? '')?.[1],
  }));
}

function commandsOfDocs(): { name: string; operation: string }[] {
  const groups: readonly CommandGroup[] = [JOBS,
    ...[access, automation, collections].flatMap((area) => Object.values(area))];
  return [
    ...Object.entries(COMMANDS_OF_DOCS).flatMap(([operation, names]) => names.map((name) => ({ name, operation }))),
    ...SINGLE.map(({ name, operation }) => ({ name, operation })),
    ...groups.flatMap((group) =>
      group.commands.map(({ name, operation }) => ({ name: `${group.name} ${name}`, operation }))
    ),
  ];
}
