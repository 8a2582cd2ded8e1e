import { expect, it } from 'vitest';
import { loadSettings } from './index.ts';

const KEYS = { SVC_CHECKPOINTS_S3_ACCESS_KEY: 'access', SVC_CHECKPOINTS_S3_SECRET_KEY: 'hidden' };
const BUCKET = { SVC_CHECKPOINTS: 's3://our-indexes/quire', ...KEYS };

it.each([[{ ...BUCKET, SVC_CHECKPOINTS: 'https://s3.example.org/our-indexes' },
  'SVC_CHECKPOINTS: expected a bucket as s3://bucket/prefix, or the path of a folder, got "https://s3.example.org/our-'],
  [{ ...BUCKET, SVC_CHECKPOINTS: 's3:///quire' }, 'SVC_CHECKPOINTS: expected a bucket as s3://bucket/prefix'], [{
  SVC_CHECKPOINTS: 's3://our-indexes',
}, 'SVC_CHECKPOINTS_S3_ACCESS_KEY and SVC_CHECKPOINTS_S3_SECRET_KEY: required by SVC_CHECKPOINTS'], [{
  ...BUCKET,
  SVC_CHECKPOINTS_S3_ENDPOINT: 's3.example.org',
}, 'SVC_CHECKPOINTS_S3_ENDPOINT: expected a URL without a path, such as https://s3.example.org, got "s3.example.org"'],
  [{ SVC_CHECKPOINTS_S3_ENDPOINT: 'https://s3.example.org' },
    'SVC_CHECKPOINTS_S3_ENDPOINT: set SVC_CHECKPOINTS, or leave it out']])('refuses %j', (env, problem) => {
    expect(() => loadSettings({ env })).toThrow(problem);
    expect(() => loadSettings({ env })).not.toThrow('hidden');
  });

it.each([BUCKET, { ...BUCKET, SVC_CHECKPOINTS: 's3://our.indexes' }, {
  ...BUCKET,
  SVC_CHECKPOINTS_S3_ENDPOINT: 'http://10.1.2.3:9000',
}, { SVC_CHECKPOINTS: '/mnt/shared' }, { SVC_CHECKPOINTS: 'shared' }])('takes %j', (env) => {
  expect(loadSettings({ env }).settings.checkpoints.place).toBe(env.SVC_CHECKPOINTS);
});
