import type { ForgeConfig } from '../../config/index.ts';
import type { Receiver } from '../port.ts';
import { bitbucketDataCenter } from './bitbucket-data-center.ts';
import { bitbucket } from './bitbucket.ts';
import { git } from './git.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';

/** How deliveries of each kind of forge are read. */
export const RECEIVERS: Readonly<Record<ForgeConfig['kind'], Receiver>> = {
  github,
  gitlab,
  gitea,
  forgejo: gitea,
  bitbucket,
  bitbucket_data_center: bitbucketDataCenter,
  git,
};
