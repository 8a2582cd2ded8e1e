import type { Command } from 'commander';
import { runCommand } from '../shared/command-error.ts';
import type { Io } from '../shared/io.ts';
import { writeLines } from '../shared/io.ts';
import { addOutputOptions, itemsTable, note, type OutputOptions, widthOf, writeJson } from '../shared/output.ts';
import { profileNamed, readProfiles, writeProfiles } from '../shared/profiles.ts';

/** `quire profiles`: the servers that `quire login` stored. */
export function registerProfiles(program: Command, io: Io): void {
  const command = program.command('profiles').summary('list the servers that are remembered, and choose one')
    .description('List the profiles that `quire login` has made; with a name, use that one from now on.').argument(
      '[name]',
      'profile to use from now on',
    );
  addOutputOptions(command).addHelpText('after',
    '\nA single command takes another profile by --profile, or by QUIRE_PROFILE.').action((name: string | undefined,
      options: OutputOptions) =>
      runCommand('profiles', io, async () => (name === undefined ? list(options, io) : use(name, options, io)))
    );
}

function list(options: OutputOptions, io: Io): void {
  const { current, profiles } = readProfiles();
  // Credentials are not shown.
  const rows = Object.entries(profiles).map(([name, { url, username, token, apiKey, expiresAt, runsUrl }]) => ({
    name,
    current: name === current,
    url,
    username,
    credential: apiKey !== undefined ? 'API key' : token !== undefined ? 'token' : undefined,
    expiresAt,
    runsUrl,
  }));
  if (options.json === true) return writeJson(io, rows);
  if (rows.length > 0)
    writeLines(io.stdout,
      itemsTable(['name', 'current', 'url', 'username', 'credential', 'expiresAt', ['runsUrl', 'run queue']], rows,
        widthOf(io.stdout)));
  else note(io, options, ['there are no profiles: make one with `quire login`']);
}

function use(name: string, options: OutputOptions, io: Io): void {
  const all = readProfiles();
  profileNamed(name, all);
  writeProfiles({ ...all, current: name });
  note(io, options, [`profile ${name} is used from now on`]);
}
