import type { Command } from 'commander';
import { ProfileOption } from '../shared/client.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { chosenProfile } from '../shared/connection.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { type Profile, readProfiles, writeProfiles } from '../shared/profiles.ts';
import { ServiceFailure } from '../shared/service-failure.ts';
import { openService } from '../shared/service.ts';

/** `quire logout`: deletes a profile, and ends what it had on the server. */
export function registerLogout(program: Command, io: Io): void {
  program.command('logout').summary('forget a server and its credential').description(
    'Forget a profile. Its session ends on the server, and the API key that `quire login --keep` made is deleted ' +
      'there.',
  ).addOption(new ProfileOption()).action((options: { readonly serverProfile?: string }) =>
    runCommand('logout', io, () => logout(options.serverProfile, io))
  );
}

async function logout(option: string | undefined, io: Io): Promise<void> {
  const all = readProfiles();
  const { name, profile } = chosenProfile(option, process.env, all);
  if (name === undefined) throw new CommandError('you are not signed in');
  try {
    await end(profile);
  } catch (error) {
    // The profile is deleted in any case; the key can still be deleted by its hash, and the session ends by itself.
    if (!(error instanceof ServiceFailure)) throw error;
    const what = profile.keyHash === undefined
      ? 'the session could not be ended'
      : `the API key could not be deleted, its hash is ${profile.keyHash}`;
    if (![401, 404].includes(error.status ?? 0)) writeLines(io.stderr, [`${what}: ${error.message}`]);
  }
  const { [name]: _gone, ...profiles } = all.profiles;
  writeProfiles({ profiles, ...(all.current !== undefined && all.current !== name && { current: all.current }) });
  writeLines(io.stdout, [`forgot profile ${name}`]);
}

/** Ends the session, or deletes the key that `quire login --keep` made; a key that the user has given stays valid. */
async function end({ url, keyHash, apiKey, token }: Profile): Promise<void> {
  if (keyHash !== undefined)
    await openService({ url: url!, apiKey: apiKey! }, { retries: 0 }).call('deleteApiKey', { keyHash });
  else if (token !== undefined) await openService({ url: url!, token }, { retries: 0 }).call('logout', {});
}
