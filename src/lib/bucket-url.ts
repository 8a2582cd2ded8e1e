/** Whether a text is the address of a bucket, with a scheme, a host, and the bucket as the first part of its path. */
export function isBucketUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' &&
    url.hash === '' && /^\/[^/]+/.test(url.pathname);
}
