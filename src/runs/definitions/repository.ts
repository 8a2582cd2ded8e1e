/** `owner/name`, which stands for an address at the usual host. */
const SHORT = /^[^/:@\s]+\/[^/:@\s]+$/;

/** The address that git takes for a project's repository (`runtime.git_url_template`). */
export function gitUrl(repository: string, template: string): string {
  return SHORT.test(repository) ? template.replaceAll('{repository}', () => repository) : repository;
}
