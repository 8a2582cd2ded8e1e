import type { Command } from 'commander';
import { ProfileOption } from '../shared/client.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { chosenProfile } from '../shared/connection.ts';
import { writeLines, type Io } from '../shared/io.ts';
import { readProfiles, writeProfiles } from '../shared/profiles.ts';
import { openService } from '../shared/service.ts';
import { ServiceFailure } from '../shared/service-failure.ts';

/** `quire logout`: deletes a profile. */
export function registerLogout(program: Command, io: Io): void {
  program
    .command('logout')
    .summary('forget a server and its credential')
    .description('Forget a profile. The API key that `quire login --keep` made is deleted on the server, too.')
    .addOption(new ProfileOption())
    .action((options: { readonly serverProfile?: string }) => runCommand('logout', io, () => logout(options.serverProfile, io)));
}

async function logout(option: string | undefined, io: Io): Promise<void> {
  const all = readProfiles();
  const { name, profile } = chosenProfile(option, process.env, all);
  if (name === undefined) throw new CommandError('you are not signed in');
  if (profile.keyHash !== undefined) {
    try {
      await openService({ url: profile.url!, apiKey: profile.apiKey! }, { retries: 0 }).call('deleteApiKey', { keyHash: profile.keyHash });
    } catch (error) {
      // The profile is deleted in any case; the key can still be deleted by its hash.
      if (!(error instanceof ServiceFailure)) throw error;
      if (![401, 404].includes(error.status ?? 0)) writeLines(io.stderr, [`the API key could not be deleted, its hash is ${profile.keyHash}: ${error.message}`]);
    }
  }
  const { [name]: _gone, ...profiles } = all.profiles;
  writeProfiles({ profiles, ...(all.current !== undefined && all.current !== name && { current: all.current }) });
  writeLines(io.stdout, [`forgot profile ${name}`]);
}
