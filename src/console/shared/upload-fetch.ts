/**
 * A `fetch` that reports upload progress, which `fetch` itself cannot. It is passed to a call of the generated client.
 *
 * @param onProgress is called with the fraction of the body that was sent, 0 to 1.
 */
export function uploadFetch(onProgress: (part: number) => void): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = await request.blob();
    return new Promise((resolve, reject) => {
      const exchange = new XMLHttpRequest();
      exchange.open(request.method, request.url);
      for (const [name, value] of request.headers) exchange.setRequestHeader(name, value);
      exchange.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
      exchange.onload = () =>
        resolve(new Response(exchange.responseText, {
          status: exchange.status,
          headers: { 'Content-Type': exchange.getResponseHeader('Content-Type') ?? 'application/json' },
        }));
      exchange.onerror = () => reject(new TypeError('the connection failed'));
      exchange.onabort = () => reject(new DOMException('the upload was stopped', 'AbortError'));
      request.signal.addEventListener('abort', () => exchange.abort());
      exchange.send(body);
    });
  };
}
