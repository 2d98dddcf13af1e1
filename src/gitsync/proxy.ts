import { GitSyncError } from './git-sync-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Node's HTTP client takes HTTP_PROXY and HTTPS_PROXY with an `http:` or `https:` address, and ignores all other settings without a word: what was
 * to go through the proxy would go around it.
 * @throws {GitSyncError} `UnsupportedProxy`
 */
export function checkProxy(url: string, environment: Environment): void {
  const { protocol, hostname } = new URL(url)
  const own = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const name = [own.toLowerCase(), own, 'all_proxy', 'ALL_PROXY'].find((candidate) => environment[candidate])
  const proxy = name && environment[name]
  if (!name || !proxy || isExempt(hostname, environment.no_proxy ?? environment.NO_PROXY ?? '')) return
  const scheme = URL.canParse(proxy) ? new URL(proxy).protocol : ''
  if (/^https?:$/.test(scheme) && name.toUpperCase() === own) return
  throw new GitSyncError(
    `failed to use the proxy of ${name} for "${hostname}": only ${own} with an address that begins with http:// or https:// is supported; ` +
      `set that, or name "${hostname}" in NO_PROXY`,
    { reason: 'UnsupportedProxy' },
  )
}

function isExempt(hostname: string, noProxy: string): boolean {
  return noProxy
    .split(',')
    .map((entry) => entry.trim().replace(/^\*?\./, ''))
    .some((entry) => entry === '*' || (entry !== '' && (hostname === entry || hostname.endsWith(`.${entry}`))))
}
