/** Schemes of addresses that a repository may have; the ship's own settings say which of them git may use. */
const ABSOLUTE = /^(https?|ssh|git|file):\/\/[^\s\u0000-\u001f]+$/;
/** `git@host:path`; neither part can be taken for an option. */
const SCP = /^[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^\s:-][^\s\u0000-\u001f]*$/;

/** Characters of the longest address. */
const MAX_LENGTH = 2048;

/** Whether an address begins with another one, up to the end of a part, so that no other host has it. */
export function isBelow(address: string, beginning: string): boolean {
  return address === beginning ||
    (address.startsWith(beginning) && (/[/:]$/.test(beginning) || address[beginning.length] === '/'));
}

/**
 * The address of a submodule, which is relative to that of its repository if it begins with `./` or `../`. Undefined if
 * it is no address of a repository, or leaves its host.
 */
export function submoduleAddress(parent: string, address: string): string | undefined {
  if (parent.length > MAX_LENGTH || address.length > MAX_LENGTH) return undefined;
  if (!/^\.\.?\//.test(address)) return ABSOLUTE.test(address) || SCP.test(address) ? address : undefined;
  const [, root = '', path = ''] = /^([a-z]+:\/\/[^/]*|[^/]*@[^/:]*:)(.*)$/.exec(parent.replace(/\/+$/, '')) ?? [];
  const parts = path.split('/');
  for (const part of address.split('/')) {
    if (part === '..' && parts.filter((each) => each !== '').length === 0) return undefined;
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  const joined = `${root}${parts.join('/')}`;
  return root !== '' && (ABSOLUTE.test(joined) || SCP.test(joined)) ? joined : undefined;
}
