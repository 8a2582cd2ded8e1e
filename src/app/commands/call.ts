import type { Command } from 'commander';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type CatalogueEntry, catalogueEntry, type OperationId, operationSpecs } from './operations/catalogue.ts';
import { addFieldOption } from './operations/fields.ts';
import { bytesOf } from './operations/parse-value.ts';
import { bodyOf, checkComplete, optionValues } from './operations/run-operation.ts';
import { CommandError, runCommand, UsageError } from './shared/command-error.ts';
import { addClientOptions, type ClientOptions } from './shared/connection.ts';
import { type Io, untilInterrupted, writeLines } from './shared/io.ts';
import { writeJson } from './shared/output.ts';
import { openService, type Service } from './shared/service.ts';

interface Options extends ClientOptions {
  readonly body?: string;
  readonly output?: string;
  readonly paginate?: boolean;
}

const HELP = `
Every operation of the service's specification is a command here, under its operationId; its fields are options. Values may be
@FILE, or @- for standard input. Nothing is asked before anything is deleted.

Examples:
  $ quire call getStats
  $ quire call searchFullText --collection blog --query "event loop" --limit 3
  $ quire call addDocument --body document.json
  $ quire call searchHybrid --help
  $ quire call searchDocuments --collection blog --paginate | jq -r .key
`;

const JSON_TYPE = 'application/json';

/**
 * `quire call OPERATION`: calls any operation of the specification. The options of an operation are created when it is
 * called.
 */
export async function registerCall(program: Command, io: Io): Promise<void> {
  const call = program.command('call').summary('call any operation of the service by its name').description(
    'Call an operation of the document service by its name, and write what it returns.',
  ).addHelpText('after', HELP);
  for (const { id, area, summary } of Object.values(await operationSpecs())) {
    call.command(id).helpGroup(`${area[0]!.toUpperCase()}${area.slice(1)}:`).summary(summary).description(
      `${summary}.`,
    );
  }
  call.hook('preSubcommand', async (_call, command) => fill(command, command.name() as OperationId, io));
}

/** Adds the options of an operation to its command. */
export async function fill(command: Command, id: OperationId, io: Io): Promise<void> {
  const entry = await catalogueEntry(id);
  for (const field of entry.fields) addFieldOption(command, field);
  const type = entry.spec.consumes[0];
  if (type !== undefined)
    command.option('--body <file>',
      type === JSON_TYPE || type === 'multipart/form-data'
        ? 'JSON or YAML file with fields, or - for standard input; options win over it'
        : `file with the body (${type}), or - for standard input`);
  command.option('-o, --output <file>', 'file to write instead of standard output');
  if (await openService({ url: 'http://localhost' }).hasPages(id))
    command.option('--paginate', 'write all items, page after page, one JSON object a line');
  addClientOptions(command).action((options: Options) =>
    runCommand(`call ${id}`, io, () => untilInterrupted((signal) => run(id, entry, options, io, signal)))
  );
}

async function run(id: OperationId, { spec, fields }: CatalogueEntry, options: Options, io: Io,
  signal: AbortSignal): Promise<void>
{
  const isRaw = spec.consumes.length > 0 && ![JSON_TYPE, 'multipart/form-data'].includes(spec.consumes[0]!);
  const raw = isRaw
    ? await bytesOf(options.body ?? fail(`--body is needed: a file with ${spec.consumes[0]}, or -`), '--body', io.stdin)
    : undefined;
  const body = isRaw || options.body === undefined ? {} : await bodyOf(options.body, io);
  const input = { ...body, ...await optionValues(fields, options as Readonly<Record<string, unknown>>, io) };
  // A raw body contains all fields that are not parameters.
  checkComplete(
    isRaw
      ? fields.filter(({ name }) => spec.parameters.some(({ field }) => field === name))
      : fields.filter(({ kind }) => kind !== 'file'),
    input,
  );
  const service = openService(options);
  if (options.paginate === true) {
    for await (const page of service.pages(id, input, { signal }))
      writeLines(io.stdout, page.map((item) => JSON.stringify(item)));
  } else if (spec.produces.length === 1 && spec.produces[0] === JSON_TYPE && options.output === undefined) {
    writeJson(io, await service.call(id, input, { signal }, raw));
  } else await copy(service, id, input, options, io, signal, raw);
}

/** Streams a response to its destination as it arrives. */
async function copy(service: Service, id: OperationId, input: Readonly<Record<string, unknown>>, { output }: Options,
  io: Io, signal: AbortSignal, raw: Buffer | undefined): Promise<void>
{
  const bytes = Readable.fromWeb(await service.stream(id, input, { signal }, raw) as ReadableStream<Uint8Array>);
  try {
    if (output === undefined) await pipeline(bytes, io.stdout, { end: false, signal });
    else await pipeline(bytes, createWriteStream(output, { flags: 'wx' }), { signal });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A closed pipe ends the transfer, and so does an interruption of an endless response.
    if (code === 'EPIPE' || signal.aborted) return;
    throw new CommandError(code === 'EEXIST' ? `${output} exists` : `the response broke off: ${message}`, {
      cause: error,
    });
  }
}

function fail(message: string): never {
  throw new UsageError(message);
}
