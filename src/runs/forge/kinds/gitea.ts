import type { Receiver } from '../port.ts';
import { parseGithubForm } from './github-form.ts';
import { isHexHmac } from './payload.ts';

/** Webhooks of Gitea and Forgejo (docs.gitea.com and forgejo.org, "Webhooks"); Forgejo sends Gitea's headers, too. */
export const gitea: Receiver = {
  isAuthentic: ({ headers, body }, secret) => isHexHmac(headers['x-gitea-signature'], body, secret),
  idOf: (headers) => headers['x-gitea-delivery'] ?? '',
  // Some events have only a type, such as the statuses of commits.
  nameOf: (headers) => headers['x-gitea-event'] || headers['x-gitea-event-type'] || '',
  parse: (headers, payload) => parseGithubForm(headers['x-gitea-event'] ?? '', payload),
};
