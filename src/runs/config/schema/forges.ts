import { item, list, name, text, variable } from './build.ts';

const FORGE_KINDS = ['github', 'gitlab', 'gitea', 'forgejo', 'bitbucket', 'bitbucket_data_center', 'git'] as const;

const address = (description: string) =>
  text(description, '', {
    pattern: '^(https?://[^\\s@?#]+)?$',
    'x-expected': 'an http:// or https:// address without credentials',
    maxLength: 512,
  });

/** Servers of repositories, which tell of pushes and receive statuses. */
export const forges = {
  forges: list(
    'servers of repositories: their webhooks queue runs of the projects that name them, and commits get statuses',
    item('a forge', ['name', 'kind'], {
      name: name('unique; the `forge` of projects'),
      kind: {
        type: 'string',
        description: 'what speaks there; `git` for bare repositories, whose hooks send pushes and which have no API',
        enum: FORGE_KINDS,
      },
      url: address(
        'where people see it; required except for github, gitlab and bitbucket, whose public servers are ' +
          'the default, and for git',
      ),
      api_url: address("its API, where that is not at the kind's usual place below `url`"),
      token: variable('name of a secret: token for its API; empty for no statuses, comments and labels'),
      webhook_secret: variable('name of a secret: key or token of its webhooks; empty for no webhooks'),
    }),
  ),
} as const;
