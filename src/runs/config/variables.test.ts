import { expect, it } from 'vitest';
import { parseRunsConfig } from './index.ts';
import { openSecrets, unsignedWebhooks, weakWebhooks } from './variables.ts';

it('finds webhooks whose variable has no key, or one that cannot sign', () => {
  const config = parseRunsConfig(`
projects: [{id: alpha, repository: org/alpha}]
notifications:
  webhooks:
    - {name: open, url: 'https://a.example/'}
    - {name: unset, url: 'https://b.example/', secret_env: UNSET}
    - {name: words, url: 'https://c.example/', secret_env: WORDS}
    - {name: off, url: 'https://d.example/', secret_env: WORDS, enabled: false}
    - {name: good, url: 'https://e.example/', secret_env: GOOD}
`);
  const env = { WORDS: 'whsec_my own key', GOOD: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
  expect(unsignedWebhooks(config, env).map(({ name }) => name)).toEqual(['unset']);
  expect(weakWebhooks(config, env)).toEqual([{
    name: 'words',
    variable: 'WORDS',
    refusal: expect.stringContaining('got what is not base64') as string,
  }]);
});

it('finds secrets that no log can mask', () => {
  const config = parseRunsConfig(
    `secrets: [${['PIN', 'DEPLOY_TOKEN', 'GOOD', 'UNSET'].map((name) => `{name: ${name}, env: ${name}}`).join(', ')}]`,
  );
  const env = { PIN: ' 12345 ', DEPLOY_TOKEN: 'DEPLOY', GOOD: 'long enough' };
  expect(openSecrets(config, env).map(({ name }) => name)).toEqual(['PIN', 'DEPLOY_TOKEN']);
});
