import { describe, expect, it } from 'vitest';
import { parseRunsConfig, type RunsConfigError } from './parse.ts';
import { secretFiles } from './secret-files.ts';

const PROJECTS = 'projects: [{id: alpha, repository: org/alpha}]\n';

function problemsOf(text: string): readonly string[] {
  try {
    parseRunsConfig(PROJECTS + text);
    return [];
  } catch (error) {
    return (error as RunsConfigError).problems;
  }
}

describe('secrets', () => {
  it('name exactly one source, which is configured', () => {
    expect(problemsOf('secrets: [{name: A}, {name: B, env: X, file: y}, {name: C, command: [pass, show]}]')).toEqual([
      expect.stringMatching(/^secrets\[0\]: expected one of env, file, .* got none$/),
      expect.stringMatching(/^secrets\[1\]: .* got env and file$/),
    ]);
    expect(problemsOf(`secrets:
  - {name: A, vault: {path: x}}
  - {name: B, aws: {id: x}}
  - {name: C, google: {name: x}}
  - {name: D, azure: {name: x}}`)).toEqual(['secrets[0].vault: needs secret_sources.vault.address',
      'secrets[1].aws: needs secret_sources.aws.region', 'secrets[2].google: needs secret_sources.google.project',
      'secrets[2].google: needs secret_sources.google.credentials_file',
      'secrets[3].azure: needs secret_sources.azure.vault', 'secrets[3].azure: needs secret_sources.azure.tenant',
      'secrets[3].azure: needs secret_sources.azure.client_id']);
  });

  it('name projects and events that there are, and no path that leads elsewhere', () => {
    expect(problemsOf('secrets: [{name: A, env: X, projects: [alhpa], events: [push]}]')).toEqual([
      'secrets[0].projects[0]: there is no project alhpa; did you mean alpha?',
    ]);
    expect(problemsOf('secrets: [{name: A, env: X, events: [monday]}]')[0]).toContain('secrets[0].events[0]');
    for (const path of ['../sys', 'a/../../sys', '/x', 'a?b', 'a#b', 'a%2e'])
      expect(problemsOf(`secrets: [{name: A, vault: {path: '${path}'}}]`)[0], path).toContain('secrets[0].vault.path');
  });

  it('are kept and waited for within limits, and Vault has one way to log in', () => {
    expect(problemsOf('secret_sources: {cache: 6m, timeout: 9s}')).toEqual([
      'secret_sources.cache: expected at most 5m, got 6m',
      'secret_sources.timeout: expected at most 8s, got 9s',
    ]);
    const vault = (rest: string): readonly string[] =>
      problemsOf(`secret_sources: {vault: {address: 'https://vault.example.org', ${rest}}}`);
    expect(vault('token_env: X')).toEqual([]);
    expect(vault('token_env: X, kubernetes: {role: r}')[0]).toContain('expected one of token_env');
    expect(vault('approle: {role_id: r}')[0]).toContain('either secret_id_env or secret_id_file');
  });

  it('in files, and tokens for stores, are files that steps must not see', () => {
    const config = parseRunsConfig(`${PROJECTS}secrets: [{name: A, file: /run/secrets/a}]
secret_sources: {vault: {address: 'https://vault.example.org', kubernetes: {role: r, token_file: /run/pod}}}`);
    expect(secretFiles(config)).toEqual(['/run/secrets/a', '/run/pod']);
  });
});

describe('sign-in', () => {
  const OIDC = "issuer: 'https://id.example.org', client_id: quire, redirect_uri: 'https://runs.example.org/console'";

  it('needs a client and the address of the console, over TLS', () => {
    expect(problemsOf(`oidc: {${OIDC}}`)).toEqual([]);
    expect(problemsOf("oidc: {issuer: 'https://id.example.org'}")).toEqual([
      'oidc.client_id: required by oidc.issuer',
      'oidc.redirect_uri: required by oidc.issuer',
    ]);
    for (const issuer of ['http://id.example.org', 'http://localhost.example.org', 'https://a@id.example.org'])
      expect(problemsOf(`oidc: {issuer: '${issuer}'}`)[0], issuer).toContain('oidc.issuer: expected an https:// URL');
    expect(problemsOf(`oidc: {${OIDC}, session: 31d}`)).toEqual(['oidc.session: expected at most 30d, got 31d']);
  });

  it('gives roles to somebody, in projects that there are', () => {
    expect(problemsOf(`oidc: {${OIDC}, roles: [{role: viewer}, {role: admin, groups: [ops], projects: [beta]}]}`))
      .toEqual(['oidc.roles[0]: expected people or groups',
        expect.stringContaining('oidc.roles[1].projects[0]: there is no project beta')]);
  });
});

describe('tokens of steps', () => {
  const pipeline = (rest: string): string => `pipelines: [{name: build, steps: [{name: go, run: make}], ${rest}}]\n`;

  it('need the address of this service, and a variable of their own', () => {
    expect(problemsOf(pipeline('id_token: {T: {audience: x}}'))).toEqual([
      'pipelines[0].id_token.T: needs id_tokens.issuer',
    ]);
    const issuer = "id_tokens: {issuer: 'https://runs.example.org'}\n";
    expect(problemsOf(issuer + pipeline('id_token: {T: {audience: x}}, env: {T: y}'))).toEqual([
      'pipelines[0].id_token.T: is also a variable of secrets or env',
    ]);
    expect(problemsOf(issuer + pipeline('id_token: {T: {}}'))[0]).toContain('id_token.T.audience: required');
  });
});
