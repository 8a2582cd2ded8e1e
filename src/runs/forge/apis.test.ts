import { expect, onTestFinished, test } from 'vitest';
import { parseRunsConfig } from '../config/index.ts';
import { FakeForge } from './api/test-fixture.ts';
import { apiAddress, createForgeApis } from './apis.ts';

const apisOf = (text: string, secrets: Record<string, string>) => {
  const loaded = { config: parseRunsConfig(text) };
  const apis = createForgeApis({
    version: '0.0.0',
    config: { current: () => loaded, onChange: () => () => undefined } as never,
  }, (name) => secrets[name]);
  onTestFinished(() => apis.close());
  return { apis, loaded };
};

test.each([
  [{ kind: 'github', url: '', api_url: '' }, 'https://api.github.com'],
  [{ kind: 'github', url: 'https://ghe.example.org/', api_url: '' }, 'https://ghe.example.org/api/v3'],
  [{ kind: 'gitlab', url: '', api_url: '' }, 'https://gitlab.com/api/v4'],
  [{ kind: 'gitlab', url: 'https://example.org/gitlab', api_url: '' }, 'https://example.org/gitlab/api/v4'],
  [{ kind: 'forgejo', url: 'https://codeberg.org', api_url: '' }, 'https://codeberg.org/api/v1'],
  [{ kind: 'bitbucket', url: '', api_url: '' }, 'https://api.bitbucket.org/2.0'],
  [{ kind: 'bitbucket_data_center', url: 'https://git.example.org/bitbucket', api_url: '' },
    'https://git.example.org/bitbucket/rest/api/latest'],
  [{ kind: 'gitea', url: 'https://git.example.org', api_url: 'http://10.0.0.7:3000/api/v1/' },
    'http://10.0.0.7:3000/api/v1'],
  [{ kind: 'git', url: 'https://git.example.org', api_url: '' }, undefined],
] as const)('the address of the API of %j is %s', (forge, address) => {
  expect(apiAddress(forge)).toBe(address);
});

test('there is no API without a token, or under another name', async () => {
  const { apis } = apisOf(`
secrets: [{name: FORGE, env: TOKEN}, {name: MISSING, env: NONE}]
forges:
  - {name: a, kind: github}
  - {name: b, kind: github, token: FORGE}
  - {name: c, kind: github, token: MISSING}
  - {name: d, kind: git}
`, { 'FORGE': 'x' });
  const found = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => apis.apiOf(name)));
  expect(found.map((api) => api !== undefined)).toEqual([false, true, false, false, false]);
  expect(await apis.apiOf('b')).toBe(found[1]);
});

test('the host of a forge may be private, and nothing else is reached through it', async () => {
  const fake = await new FakeForge({ 'GET /api/v1/repos/o/r/issues/1': { json: { number: 1 } } }).start();
  onTestFinished(() => fake.stop());
  const { apis } = apisOf(`
secrets: [{name: t, env: TOKEN}]
forges:
  - {name: tea, kind: gitea, url: '${fake.url}', token: t}
  - {name: other, kind: gitea, url: 'http://169.254.169.254', token: t}
`, { t: 'x' });
  expect(await (await apis.apiOf('tea'))!.issue('o/r', 1)).toMatchObject({ number: 1 });
  await expect((await apis.apiOf('other'))!.issue('o/r', 1)).rejects.toMatchObject({ isLasting: true });
});

test('a new token is used from the next call on', async () => {
  const secrets = { t: 'x' };
  const { apis } = apisOf('secrets: [{name: t, env: TOKEN}]\nforges: [{name: b, kind: github, token: t}]', secrets);
  const before = await apis.apiOf('b');
  secrets.t = 'y';
  expect(await apis.apiOf('b')).not.toBe(before);
});
