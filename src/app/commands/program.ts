import { Command, type CommanderError } from 'commander';
import { VERSION_LINE } from '../specification.ts';
import type { CommandGroup } from './operations/catalogue.ts';
import { EXIT, EXIT_MEANINGS, ignoreClosedPipe } from './shared/command-error.ts';
import { ProfileOption } from './shared/connection.ts';
import { type Io, writeLines } from './shared/io.ts';

type Register = (program: Command, io: Io) => void | Promise<void>;

/** A command of `quire`, whose code is loaded when it is called. */
interface Entry {
  readonly name: string;
  /** The description that `quire --help` shows; equal to the command's own. */
  readonly summary: string;
  readonly group: string;
  readonly load: () => Promise<Register>;
}

const SERVICES = 'Services:';
const DOCUMENTS = 'Documents:';
const LOADING = 'Loading and saving:';
const ADMINISTRATION = 'Administration:';
const AUTOMATION = 'Automation and memory:';
const SERVERS = 'Servers:';

const single = (name: string): Entry['load'] => async () => {
  const [{ SINGLE }, { registerOperation }] = await Promise.all([import('./areas/maintenance.ts'),
    import('./operations/run-operation.ts')]);
  return (program, io) => registerOperation(program, SINGLE.find((each) => each.name === name)!, io);
};

const group = (find: () => Promise<CommandGroup>): Entry['load'] => async () => {
  const [definition, { registerGroup }] = await Promise.all([find(), import('./operations/run-operation.ts')]);
  return async (program, io) => void await registerGroup(program, definition, io);
};

const jobs: Entry['load'] = async () => {
  const [{ JOBS }, { registerGroup }, { registerWatch }] = await Promise.all([import('./areas/maintenance.ts'),
    import('./operations/run-operation.ts'), import('./watch-job.ts')]);
  return async (program, io) => registerWatch(await registerGroup(program, JOBS, io), io);
};

/** All commands, in the order of `quire --help`. */
export const ENTRIES: readonly Entry[] = [{
  name: 'docs',
  summary: 'serve the document service',
  group: SERVICES,
  load: async () => (await import('./docs.ts')).registerDocs,
}, {
  name: 'mcp',
  summary: 'serve MCP over standard input and output, for a client that starts this program',
  group: SERVICES,
  load: async () => (await import('./docs.ts')).registerMcp,
}, {
  name: 'runs',
  summary: 'serve the run-queue service; with a command, be its client',
  group: SERVICES,
  load: async () => (await import('./runs/index.ts')).registerRuns,
}, {
  name: 'ship',
  summary: 'be a worker of a run-queue service',
  group: SERVICES,
  load: async () => (await import('./ship.ts')).registerShip,
}, {
  name: 'search',
  summary: 'find documents by words or metadata',
  group: DOCUMENTS,
  load: async () => (await import('./search.ts')).registerSearch,
}, {
  name: 'list',
  summary: 'list the documents of a collection',
  group: DOCUMENTS,
  load: async () => (await import('./documents/documents.ts')).registerList,
}, {
  name: 'get',
  summary: 'print the markdown of a document',
  group: DOCUMENTS,
  load: async () => (await import('./documents/documents.ts')).registerGet,
}, {
  name: 'add',
  summary: 'store a document from a file or standard input',
  group: DOCUMENTS,
  load: async () => (await import('./documents/documents.ts')).registerAdd,
}, {
  name: 'edit',
  summary: 'change the markdown of a document in your editor',
  group: DOCUMENTS,
  load: async () => (await import('./documents/edit.ts')).registerEdit,
}, {
  name: 'delete',
  summary: 'delete documents',
  group: DOCUMENTS,
  load: async () => (await import('./documents/documents.ts')).registerDelete,
}, {
  name: 'history',
  summary: 'list the kept versions of a document, newest first',
  group: DOCUMENTS,
  load: single('history'),
}, {
  name: 'diff',
  summary: 'show what has changed between two versions of a document',
  group: DOCUMENTS,
  load: async () => (await import('./documents/diff.ts')).registerDiff,
}, {
  name: 'restore-revision',
  summary: 'make a kept version the present one',
  group: DOCUMENTS,
  load: single('restore-revision'),
}, {
  name: 'similar',
  summary: 'list the documents whose meaning is nearest to that of a document',
  group: DOCUMENTS,
  load: single('similar'),
}, {
  name: 'meta',
  summary: 'metadata of a collection or a document',
  group: DOCUMENTS,
  load: group(async () => (await import('./areas/collections.ts')).META),
}, {
  name: 'collections',
  summary: 'collections, their settings and schemas',
  group: DOCUMENTS,
  load: group(async () => (await import('./areas/collections.ts')).COLLECTIONS),
}, {
  name: 'import',
  summary: 'import files or NDJSON into a collection',
  group: LOADING,
  load: async () => (await import('./import/run-import.ts')).registerImport,
}, {
  name: 'sync',
  summary: 'make a collection equal to a folder of files',
  group: LOADING,
  load: async () => (await import('./sync/run-sync.ts')).registerSync,
}, {
  name: 'import-wiki',
  summary: 'import a dump of a wiki into a collection',
  group: LOADING,
  load: async () => (await import('./import-wiki/run-import-wiki.ts')).registerImportWiki,
}, {
  name: 'import-url',
  summary: 'fetch a page and store it as a document',
  group: LOADING,
  load: single('import-url'),
}, {
  name: 'export',
  summary: 'write the documents of a collection to a file or standard output',
  group: LOADING,
  load: async () => (await import('./export.ts')).registerExport,
}, {
  name: 'migrate-store',
  summary: 'copy a database of documents from SQLite to PostgreSQL or back, while no server runs',
  group: LOADING,
  load: async () => (await import('./migrate-store.ts')).registerMigrateStore,
}, {
  name: 'backup',
  summary: 'back the database up, on the machine of the service',
  group: LOADING,
  load: single('backup'),
}, {
  name: 'restore',
  summary: 'bring a backup back in place of the database',
  group: LOADING,
  load: single('restore'),
}, { name: 'jobs', summary: 'work of the service in the background', group: LOADING, load: jobs }, {
  name: 'webhooks',
  summary: 'webhooks, and what they could not deliver',
  group: AUTOMATION,
  load: group(async () => (await import('./areas/automation.ts')).WEBHOOKS),
}, {
  name: 'automation',
  summary: 'rules that act on changes or by the clock',
  group: AUTOMATION,
  load: group(async () => (await import('./areas/automation.ts')).AUTOMATION),
}, {
  name: 'memory',
  summary: 'conversations that are remembered and recalled',
  group: AUTOMATION,
  load: group(async () => (await import('./areas/automation.ts')).MEMORY),
}, {
  name: 'users',
  summary: 'accounts of the service and what they may do',
  group: ADMINISTRATION,
  load: group(async () => (await import('./areas/access.ts')).USERS),
}, {
  name: 'node',
  summary: 'the nodes that share a database',
  group: ADMINISTRATION,
  load: group(async () => (await import('./areas/maintenance.ts')).NODES),
}, {
  name: 'groups',
  summary: 'groups of accounts and what they may do',
  group: ADMINISTRATION,
  load: group(async () => (await import('./areas/access.ts')).GROUPS),
}, {
  name: 'keys',
  summary: 'your API keys, and the keys of MCP',
  group: ADMINISTRATION,
  load: group(async () => (await import('./areas/access.ts')).KEYS),
}, { name: 'whoami', summary: 'show whose credential is used', group: ADMINISTRATION, load: single('whoami') }, {
  name: 'health',
  summary: 'show whether the service is healthy',
  group: ADMINISTRATION,
  load: single('health'),
}, { name: 'stats', summary: 'show how much the service holds', group: ADMINISTRATION, load: single('stats') }, {
  name: 'config',
  summary: "show the service's settings",
  group: ADMINISTRATION,
  load: single('config'),
}, {
  name: 'audit',
  summary: 'list recorded actions and their actors, newest first',
  group: ADMINISTRATION,
  load: single('audit'),
}, {
  name: 'call',
  summary: 'call any operation of the service by its name',
  group: ADMINISTRATION,
  load: async () => (await import('./call.ts')).registerCall,
}, {
  name: 'login',
  summary: 'sign in to a server, and remember it',
  group: SERVERS,
  load: async () => (await import('./account.ts')).registerLogin,
}, {
  name: 'logout',
  summary: 'forget a server and its credential',
  group: SERVERS,
  load: async () => (await import('./account.ts')).registerLogout,
}, {
  name: 'profiles',
  summary: 'list the servers that are remembered, and choose one',
  group: SERVERS,
  load: async () => (await import('./account.ts')).registerProfiles,
}, {
  name: 'completion',
  summary: 'print the completion of commands for a shell',
  group: SERVERS,
  load: async () => (await import('./completion/register.ts')).registerCompletion,
}];

/** For completion only; hidden in `--help`. */
const HIDDEN: Entry = {
  name: '__complete',
  summary: '',
  group: '',
  load: async () => (await import('./completion/register.ts')).registerComplete,
};

/**
 * Returns the program, with the code of the command that `args` names; of the other commands it contains only the line
 * for `--help`. `all` loads all of them, for callers that need the whole tree.
 */
export async function createProgram(args: readonly string[] | 'all', io: Io): Promise<Command> {
  const program = new Command('quire').description(
    'a version-controlled store of markdown documents with search, and a run queue with remote workers',
  ).version(VERSION_LINE).addOption(new ProfileOption()).showHelpAfterError('(add --help for what is possible)')
    .addHelpText('after', `\nStatus: ${EXIT_MEANINGS.map(([code, meaning]) => `${code} ${meaning}`).join('; ')}.`);
  const wanted = args === 'all' ? undefined : commandIn(args);
  for (const { name, summary, group: heading, load } of wanted === HIDDEN.name ? [...ENTRIES, HIDDEN] : ENTRIES) {
    if (wanted === undefined ? args === 'all' : name === wanted) await (await load())(program, io);
    else program.command(name).summary(summary);
    program.commands.at(-1)!.helpGroup(heading);
  }
  // Set last, because subcommands inherit it: only the options of the program itself must precede the command.
  program.enablePositionalOptions();
  program.hook('preSubcommand',
    (_program, command) => hand(command, program.getOptionValue('serverProfile') as string | undefined));
  return program;
}

/** Returns the first word that is not an option of the program. */
function commandIn(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg, i) => !arg.startsWith('-') && args[i - 1] !== '--profile');
  return args[at] === 'help' ? args[at + 1] : args[at];
}

/** A profile that is named before the command applies to any command. */
function hand(command: Command, profile: string | undefined): void {
  if (profile === undefined) return;
  command.setOptionValueWithSource('serverProfile', profile, 'env');
  for (const each of command.commands) hand(each, profile);
}

/** Runs `quire ARGS`. Errors of the command line itself end with status 2. */
export async function runProgram(args: readonly string[], io: Io): Promise<void> {
  io.stdout.on('error', ignoreClosedPipe); // of help, too
  const program = await createProgram(args, io);
  for (const command of treeOf(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
  }
  if (args.length === 0) {
    writeLines(io.stderr, [program.helpInformation().trimEnd()]);
    return io.setExitCode(EXIT.usage);
  }
  try {
    // `help COMMAND` would not wait for options that are created asynchronously.
    await program.parseAsync(args[0] === 'help' ? [...args.slice(1), '--help'] : args, { from: 'user' });
  } catch (error) {
    const { code, exitCode } = error as Partial<CommanderError>;
    if (!code?.startsWith('commander.')) throw error;
    // Help that the user requested is not an error.
    io.setExitCode(exitCode === 0 ? EXIT.ok : EXIT.usage);
  }
}

/** A command and all commands below it. */
export const treeOf = (command: Command): Command[] => [command, ...command.commands.flatMap(treeOf)];
