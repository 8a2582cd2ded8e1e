import { readFile } from 'node:fs/promises';
import { ServiceError } from '../../errors/index.ts';
import { decodeUtf8 } from '../../lib/bytes.ts';
import type { Log } from '../../lib/log.ts';
import { inDataDir, type RoleConfig, type RunsConfig } from '../config/index.ts';

/** The limit is the same as for an input. */
const MAX_BYTES = 262_144;

/**
 * The instructions of a role, from the configuration or from its file. A role whose file cannot be read is not
 * available.
 */
export async function systemPromptOf(role: RoleConfig, config: RunsConfig, log: Log): Promise<string> {
  if (role.system_prompt_file === '') return role.system_prompt;
  const file = inDataDir(config, role.system_prompt_file);
  try {
    const bytes = await readFile(file);
    if (bytes.length > MAX_BYTES) throw new Error(`it has ${bytes.length} bytes; expected at most ${MAX_BYTES}`);
    const text = decodeUtf8(bytes);
    if (text === undefined) throw new Error('it is not UTF-8');
    return text;
  } catch (cause) {
    log.error({ role: role.name, file, err: cause }, 'the system prompt of an AI role cannot be read');
    throw new ServiceError('model_or_input_unavailable', `the role ${role.name} has no system prompt`, { cause });
  }
}
