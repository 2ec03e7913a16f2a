/** What a key, headers and files may be sent to (rule 10). Null for what is no http or https address. */
export function originOf(baseUrl: string): string | null {
  if (!URL.canParse(baseUrl)) return null;
  const { origin, protocol } = new URL(baseUrl);
  return protocol === 'http:' || protocol === 'https:' ? origin : null;
}

export function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** One name for all addresses of one server: this machine has several for itself. */
export function serverAt(baseUrl: string): string {
  const origin = originOf(baseUrl) ?? baseUrl;
  return isLoopback(origin) ? `this machine ${new URL(origin).port}` : origin;
}
