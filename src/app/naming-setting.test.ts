import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ServiceError } from '../errors/index.ts';
import { ConfigError } from '../lib/config-error.ts';
import { namingSetting } from './naming-setting.ts';

const failing = (error: unknown) => namingSetting('SVC_PATH', () => Promise.reject(error));

it('puts the setting before reasons of the machine and of the database', async () => {
  await expect(failing(new ServiceError('unavailable', 'in use'))).rejects.toMatchObject({
    code: 'unavailable',
    message: 'SVC_PATH: in use',
  });
  await expect(failing(new Error('address taken', { cause: 'EADDRINUSE' }))).rejects.toThrow(
    /^SVC_PATH: address taken$/,
  );
  await expect(namingSetting('data_dir', () => mkdirSync(import.meta.filename))).rejects.toThrow(/^data_dir: EEXIST/);
});

it('leaves results, faults of the program and invalid settings as they are', async () => {
  expect(await namingSetting('SVC_PATH', () => 1)).toBe(1);
  for (const error of [new TypeError('x is not a function'), new ConfigError(['a: wrong', 'b: wrong'])])
    await expect(failing(error)).rejects.toBe(error);
});
